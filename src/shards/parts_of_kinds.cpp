// SPDX-License-Identifier: Apache-2.0
/// The parts of sharded builds of each kind, and which directories it takes.
#include <string>

#include "base/as_error.hpp"
#include "build/store_output.hpp"
#include "crivo/build/shards.hpp"
#include "shards/build_part.hpp"
#include "structures/tables/build/build_lists.hpp"

namespace crivo {

BuildSummary build_mphf_part(const std::filesystem::path& directory, const Share& shard,
                             const std::filesystem::path& output, const MphfOptions& mphf,
                             const BuildOptions& options) try {
  return index::build_shard(directory, shard, output, options, false,
                            [&](const index::KeyDirectory& keys) {
                              return index::plan(mphf, {.keys = keys.totals.keys});
                            });
} catch (...) {
  base::rethrow_as_error();
}

BuildSummary build_filter_part(const std::filesystem::path& directory, const Share& shard,
                               const std::filesystem::path& output, const FilterOptions& filter,
                               const BuildOptions& options) try {
  return index::build_shard(
      directory, shard, output, options, false, [&](const index::KeyDirectory& keys) {
        if (filter.count_duplicates)
          index::refuse_directory(directory,
                                  "a directory of partitioned keys has no equal keys to count");
        return index::plan(filter, {.keys = keys.totals.keys});
      });
} catch (...) {
  base::rethrow_as_error();
}

BuildSummary build_store_part(const std::filesystem::path& directory, const Share& shard,
                              const std::filesystem::path& output, const StoreOptions& store,
                              const BuildOptions& options) try {
  return index::build_shard(
      directory, shard, output, options, false, [&](const index::KeyDirectory& keys) {
        const index::Totals& totals = keys.totals;
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

BuildSummary build_rows_part(const std::filesystem::path& directory, const Share& shard,
                             const std::filesystem::path& output, const RowsOptions& rows,
                             const BuildOptions& options) try {
  return index::build_shard(
      directory, shard, output, options, true, [&](const index::KeyDirectory& keys) {
        const index::Totals& totals = keys.totals;
        if (totals.values != index::KeyValues::rows)
          index::refuse_directory(directory, "its keys have no rows; use rows when partitioning",
                                  "rows");
        const RowsOptions& own = totals.rows;
        if (!rows.row_groups.empty() || (rows.many && !totals.many) ||
            (!rows.null_text.empty() && rows.null_text != own.null_text) ||
            (rows.fixed != 0 && rows.fixed != own.fixed))
          index::refuse_directory(directory,
                                  "it was partitioned with other choices of rows: many, null_text, "
                                  "fixed and row_groups are chosen there");
        RowsOptions same = rows;
        same.many = totals.many;
        same.null_text = own.null_text;
        same.fixed = own.fixed;
        index::Recipe recipe =
            index::plan(same, {.keys = totals.distinct,
                               .value_bits = tables::number_bits(keys.rows.rows()),
                               .places = totals.keys});
        index::add_row_files(same, keys.rows.files(), keys.rows.has_groups(), keys.rows.nulls(),
                             recipe);
        return recipe;
      });
} catch (...) {
  base::rethrow_as_error();
}

BuildSummary build_map_part(const std::filesystem::path& directory, const Share& shard,
                            const std::filesystem::path& output, const MapOptions& map,
                            const BuildOptions& options) try {
  return index::build_shard(
      directory, shard, output, options, true, [&](const index::KeyDirectory& keys) {
        const index::Totals& totals = keys.totals;
        if (totals.values == index::KeyValues::rows)
          index::refuse_directory(directory, "its keys have rows; build an index of rows", "rows");
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
