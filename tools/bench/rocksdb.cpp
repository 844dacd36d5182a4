// SPDX-License-Identifier: Apache-2.0
// RocksDB's filters (librocksdb-dev). Since its version 7 the classes that build and ask a filter
// are internal: what its public interface has is a table file with a filter. So each is built as
// that of a table of all the keys in memory, and asked by DB::KeyMayExist(), which ends at the
// filter for a key that it lacks. Space and rate are the filter's own; the build is that of the
// table, and a lookup passes through the database to the filter and, for a "maybe", on to the index
// of the table's blocks.

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/methods.hpp"
#include "bench/structure.hpp"

namespace crivo::bench {
namespace {

void check(const rocksdb::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

/// The false-positive rate of a Bloom filter of `bits` bits a key whose probes of a key fall into
/// one line of 512 bits (Putze, Sanders, Singler, "Cache-, Hash- and Space-Efficient Bloom
/// Filters"), with the best number of probes.
double line_bloom_rate(double bits) {
  constexpr double kLine = 512;
  const double mean = kLine / bits;  // keys a line, Poisson-distributed
  double best = 1;
  for (int probes = 1; probes <= 24; ++probes) {
    double rate = 0;
    for (int keys = 0; keys < 4 * kLine; ++keys) {
      const double likely = std::exp(keys * std::log(mean) - mean - std::lgamma(keys + 1));
      rate += likely * std::pow(1 - std::pow(1 - 1 / kLine, keys * probes), probes);
    }
    best = std::min(best, rate);
  }
  return best;
}

/// The bits a key that both policies take for a rate: Bloom's are what it will have, Ribbon's what
/// a Bloom filter of that rate would have.
double bloom_bits(double fpr) {
  double low = 1;
  double high = 100;
  for (int step = 0; step < 20; ++step) {
    const double middle = (low + high) / 2;
    (line_bloom_rate(middle) > fpr ? low : high) = middle;
  }
  return high;
}

const rocksdb::FilterPolicy* bloom(double bits) {
  return rocksdb::NewBloomFilterPolicy(bits);
}
const rocksdb::FilterPolicy* ribbon(double bits) {
  constexpr int kNoLevelBloom = -1;
  return rocksdb::NewRibbonFilterPolicy(bits, kNoLevelBloom);
}

rocksdb::Slice slice(const crivo_bench_key& key) {
  return {key.data, key.size};
}

template <const rocksdb::FilterPolicy* (*kPolicy)(double bits)>
class TableFilter {
 public:
  static std::unique_ptr<TableFilter> build(const crivo_bench_keys& keys, unsigned, const char*&) {
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy.reset(kPolicy(bloom_bits(keys.fpr)));
    table.no_block_cache = true;  // the filter is in memory all the same
    auto built = std::make_unique<TableFilter>();
    built->env_.reset(rocksdb::NewMemEnv(rocksdb::Env::Default()));
    rocksdb::Options options;
    options.env = built->env_.get();
    options.create_if_missing = true;
    options.disable_auto_compactions = true;
    options.compression = rocksdb::kNoCompression;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));

    const std::string file = "/keys.sst";
    built->write_table(keys, options, file);
    rocksdb::DB* db = nullptr;
    check(rocksdb::DB::Open(options, "/db", &db));
    built->db_.reset(db);
    check(db->IngestExternalFile({file}, {}));
    return built;
  }

  std::uint64_t bits() const {
    rocksdb::TablePropertiesCollection tables;
    check(db_->GetPropertiesOfAllTables(&tables));
    std::uint64_t bytes = 0;
    for (const auto& [name, properties] : tables) bytes += properties->filter_size;
    return 8 * bytes;
  }

  template <typename Use>
  void with_lookup(const crivo_bench_keys& keys, Use&& use) const {
    const rocksdb::ReadOptions options;
    std::string value;
    use([&](std::size_t i) -> std::uint64_t {
      return db_->KeyMayExist(options, slice(keys.keys[i]), &value);
    });
  }

 private:
  static void write_table(const crivo_bench_keys& keys, const rocksdb::Options& options,
                          const std::string& file) {
    std::vector<rocksdb::Slice> sorted(keys.count);
    std::transform(keys.keys, keys.keys + keys.count, sorted.begin(), slice);
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return a.compare(b) < 0; });
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
    check(writer.Open(file));
    for (const rocksdb::Slice& key : sorted) check(writer.Put(key, rocksdb::Slice()));
    check(writer.Finish());
  }

  std::unique_ptr<rocksdb::Env> env_;  ///< in memory; must outlive the database
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace

std::vector<Method> rocksdb_filters() {
  return {{method_of<TableFilter<ribbon>>("RocksDB Ribbon in a table"), "RocksDB"},
          {method_of<TableFilter<bloom>>("RocksDB Bloom in a table"), "RocksDB"}};
}

}  // namespace crivo::bench
