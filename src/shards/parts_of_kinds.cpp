// SPDX-License-Identifier: Apache-2.0
/// The parts of sharded builds of each kind, and which directories it takes.
#include <string>

#include "base/as_error.hpp"
#include "build/store_output.hpp"
#include "crivo/build/shards.hpp"
#include "shards/build_part.hpp"

namespace crivo {

BuildSummary build_mphf_part(const std::filesystem::path& directory, const Share& shard,
                             const std::filesystem::path& output, const MphfOptions& mphf,
                             const BuildOptions& options) try {
  return index::build_shard(
      directory, shard, output, options, false,
      [&](const index::Totals& totals) { return index::plan(mphf, {.keys = totals.keys}); });
} catch (...) {
  base::rethrow_as_error();
}

BuildSummary build_filter_part(const std::filesystem::path& directory, const Share& shard,
                               const std::filesystem::path& output, const FilterOptions& filter,
                               const BuildOptions& options) try {
  return index::build_shard(
      directory, shard, output, options, false, [&](const index::Totals& totals) {
        if (filter.count_duplicates)
          index::refuse_directory(directory,
                                  "a directory of partitioned keys has no equal keys to count");
        return index::plan(filter, {.keys = totals.keys});
      });
} catch (...) {
  base::rethrow_as_error();
}

BuildSummary build_store_part(const std::filesystem::path& directory, const Share& shard,
                              const std::filesystem::path& output, const StoreOptions& store,
                              const BuildOptions& options) try {
  return index::build_shard(
      directory, shard, output, options, false, [&](const index::Totals& totals) {
        if (!totals.has_records || totals.texts)
          index::refuse_directory(
              directory, "its keys have no records; use records when partitioning", "records");
        StoreOptions same = store;
        same.repeated =
            totals.repeated;  // the records of equal keys went together when partitioned
        return index::plan(same, {.keys = totals.keys,
                                  .cell_bits = index::cell_bits_for(totals.piece_bits, totals.units,
                                                                    totals.record_bytes)});
      });
} catch (...) {
  base::rethrow_as_error();
}

BuildSummary build_map_part(const std::filesystem::path& directory, const Share& shard,
                            const std::filesystem::path& output, const MapOptions& map,
                            const BuildOptions& options) try {
  return index::build_shard(
      directory, shard, output, options, true, [&](const index::Totals& totals) {
        if (map.values != (totals.values == index::KeyValues::given)) {
          index::refuse_directory(directory,
                                  map.values ? "its keys have no values; partition keys with values"
                                             : "its keys have values; build with values",
                                  "values");
        }
        if (totals.values == index::KeyValues::none)
          index::refuse_directory(directory, "its keys have no numbers; partition keys with them",
                                  "numbers");
        if (map.values && map.form != totals.form) {
          index::refuse_directory(directory,
                                  "its values are " + value_type_name(totals.form.type) +
                                      " of scale " + std::to_string(totals.form.scale) +
                                      "; build with the same",
                                  "form");
        }
        return index::plan(
            map, {.keys = totals.keys, .value_bits = totals.value_bits, .counts = totals.counts});
      });
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
