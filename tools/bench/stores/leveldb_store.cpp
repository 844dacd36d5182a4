// SPDX-License-Identifier: Apache-2.0
// LevelDB (libleveldb-dev), snappy, a Bloom filter of 10 bits a key; keys in order, compacted.
#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>
#include <leveldb/write_batch.h>

#include <stdexcept>

#include "bench/stores/store.hpp"

namespace crivo::bench {
namespace {

void check(const leveldb::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

leveldb::Slice slice(std::string_view text) {
  return {text.data(), text.size()};
}

class OpenLevel final : public OpenStore {
 public:
  explicit OpenLevel(const std::filesystem::path& directory)
      : filter_(leveldb::NewBloomFilterPolicy(10)) {
    options_.filter_policy = filter_.get();
    options_.create_if_missing = true;
    leveldb::DB* database = nullptr;
    check(leveldb::DB::Open(options_, directory.string(), &database));
    database_.reset(database);
  }

  void fill(const RecordSet& set) {
    leveldb::WriteBatch batch;
    for (const auto& [key, record] : set.sorted()) {
      batch.Put(slice(key), slice(record));
      if (batch.ApproximateSize() > (1U << 20)) {
        check(database_->Write({}, &batch));
        batch.Clear();
      }
    }
    check(database_->Write({}, &batch));
    database_->CompactRange(nullptr, nullptr);
  }

  std::string_view find(std::string_view key, bool& found) override {
    found = database_->Get({}, slice(key), &record_).ok();
    return found ? std::string_view(record_) : std::string_view();
  }

 private:
  std::unique_ptr<const leveldb::FilterPolicy> filter_;
  leveldb::Options options_;
  std::unique_ptr<leveldb::DB> database_;
  std::string record_;
};

}  // namespace

void add_leveldb_store(std::vector<StoreMethod>& methods) {
  methods.push_back(
      {"LevelDB",
       [](const RecordSet& set, const auto& directory) { OpenLevel(directory).fill(set); },
       [](const auto& directory) { return std::make_unique<OpenLevel>(directory); }});
}

}  // namespace crivo::bench
