// SPDX-License-Identifier: Apache-2.0
// RocksDB (librocksdb-dev) as a table file of keys in order, ingested; opened read-only and mapped.
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include <stdexcept>

#include "bench/stores/store.hpp"

namespace crivo::bench {
namespace {

void check_rocks(const rocksdb::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

rocksdb::Slice rocks_slice(std::string_view text) {
  return {text.data(), text.size()};
}

struct Settings {
  rocksdb::CompressionType compression;
  std::size_t block;
  std::size_t dictionary;
};

rocksdb::Options options_of(const Settings& settings) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.allow_mmap_reads = true;
  options.compression = settings.compression;
  options.compression_opts.max_dict_bytes = static_cast<std::uint32_t>(settings.dictionary);
  options.compression_opts.zstd_max_train_bytes =
      static_cast<std::uint32_t>(100 * settings.dictionary);
  rocksdb::BlockBasedTableOptions table;
  table.block_size = settings.block;
  table.filter_policy.reset(rocksdb::NewRibbonFilterPolicy(10));
  table.no_block_cache = true;  // the records are in the page cache
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

class OpenRocks final : public OpenStore {
 public:
  OpenRocks(const Settings& settings, const std::filesystem::path& directory) {
    rocksdb::DB* database = nullptr;
    check_rocks(rocksdb::DB::OpenForReadOnly(options_of(settings), directory / "db", &database));
    database_.reset(database);
  }
  std::string_view find(std::string_view key, bool& found) override {
    record_.Reset();
    found = database_->Get({}, database_->DefaultColumnFamily(), rocks_slice(key), &record_).ok();
    return found ? std::string_view(record_.data(), record_.size()) : std::string_view();
  }
  bool scan(std::string_view prefix,
            const std::function<void(std::string_view, std::string_view)>& use) override {
    if (!iterator_) iterator_.reset(database_->NewIterator({}));
    for (iterator_->Seek(rocks_slice(prefix));
         iterator_->Valid() && iterator_->key().starts_with(rocks_slice(prefix)); iterator_->Next())
      use({iterator_->key().data(), iterator_->key().size()},
          {iterator_->value().data(), iterator_->value().size()});
    return true;
  }

 private:
  std::unique_ptr<rocksdb::DB> database_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
  rocksdb::PinnableSlice record_;
};

void build(const Settings& settings, const RecordSet& set, const std::filesystem::path& directory) {
  const rocksdb::Options options = options_of(settings);
  const std::string table = directory / "records.sst";
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
  check_rocks(writer.Open(table));
  for (const auto& [key, record] : set.sorted())
    check_rocks(writer.Put(rocks_slice(key), rocks_slice(record)));
  check_rocks(writer.Finish());
  rocksdb::DB* opened = nullptr;
  check_rocks(rocksdb::DB::Open(options, directory / "db", &opened));
  const std::unique_ptr<rocksdb::DB> database(opened);
  rocksdb::IngestExternalFileOptions ingest;
  ingest.move_files = true;
  check_rocks(database->IngestExternalFile({table}, ingest));
}

StoreMethod rocks_method(const std::string& name, const Settings& settings) {
  return {
      name,
      [settings](const RecordSet& set, const auto& directory) { build(settings, set, directory); },
      [settings](const auto& directory) {
        return std::make_unique<OpenRocks>(settings, directory);
      }};
}

}  // namespace

void add_rocksdb_stores(std::vector<StoreMethod>& methods) {
  methods.push_back(rocks_method("RocksDB raw", {rocksdb::kNoCompression, 4096, 0}));
  methods.push_back(rocks_method("RocksDB zstd 4K", {rocksdb::kZSTD, 4096, 0}));
  methods.push_back(rocks_method("RocksDB zstd 4K, dictionary", {rocksdb::kZSTD, 4096, 65536}));
}

}  // namespace crivo::bench
