// SPDX-License-Identifier: Apache-2.0
#include "shards/write_keys.hpp"

#include <mutex>
#include <utility>

#include "base/parallel.hpp"
#include "crivo/error.hpp"
#include "file/section_types.hpp"
#include "records/block.hpp"
#include "shards/universe_directory.hpp"

namespace crivo::index {
namespace {

/// What a partition of the keys adds to a file.
struct Piece {
  std::uint64_t count = 0;
  base::Bytes bytes;
};

/// Writes the keys in pieces, and fills in the table and the keys of each group, if there are any.
void write_keys(const input::KeySet& set, KeyTable& table, exact::GroupTable* groups,
                const base::BuildContext& context, base::Sink& sink) {
  constexpr double kKeyBytes = 24;
  table.units = set.collected;
  table.counts.clear();
  table.sums = {};
  table.odd_sum = table.value_or = 0;
  std::mutex mutex;
  context.progress.begin("partition", set.keys.size());
  set.keys.for_each_partition(
      table.piece_bits, {kKeyBytes, kKeyBytes}, context,
      [&](std::uint64_t, const stream::KeySlice& keys) {
        base::Bytes bytes(keys.size() * (keys.values.empty() ? 16 : 24));
        std::byte* next = bytes.data();
        std::uint64_t odd_sum = 0;
        std::uint64_t value_or = 0;
        for (const Hash128& hash : keys.hashes) {
          base::store_le(next, hash.hi);
          base::store_le(next + 8, hash.lo);
          odd_sum += hash.lo | 1;
          next += 16;
        }
        for (const std::uint64_t value : keys.values) {
          base::store_le(next, value);
          value_or |= value;
          next += 8;
        }
        const std::scoped_lock lock(mutex);
        if (groups != nullptr) {
          for (const std::uint64_t group : keys.values)
            ++(*groups)[groups->index_of(group)].universe;
        }
        table.sums += stream::sums_of(keys);
        table.odd_sum += odd_sum;
        table.value_or |= value_or;
        context.progress.add(keys.size());
        return Piece{keys.size(), std::move(bytes)};
      },
      [&](std::uint64_t, const Piece& piece) {
        table.counts.push_back(piece.count);
        sink.append(piece.bytes);
      });
}

}  // namespace

void write_sections(const input::KeySet& set, bool grouped, KeyTable& table,
                    const base::BuildContext& context, file::ContainerWriter& writer) {
  exact::GroupTable groups;
  write_keys(set, table, grouped ? &groups : nullptr, context,
             writer.begin_section(file::kKeyPiecesSection));
  if (!grouped) return;
  writer.begin_section(file::kGroupCountSection)
      .append(encode(UniverseTotals{.counts = {.groups = groups}}));
}

void write_records(const records::RecordSource& source, records::Duplicates duplicates,
                   KeyTable& table, const base::BuildContext& context, base::Sink& sink) {
  table.record_bytes.clear();
  context.progress.begin("deal out records", table.counts.size());
  base::parallel_ordered(
      context.threads, table.counts.size(),
      [&](std::uint64_t piece) {
        records::RecordBatch batch;
        source.read(table.piece_bits, piece, batch);
        batch.sort(duplicates);
        if (batch.size() != table.counts[piece]) {
          throw Error(ErrorKind::bad_input,
                      "the records do not match the keys; perhaps two keys are equal");
        }
        base::Bytes bytes;
        for (std::size_t i = 0; i < batch.size(); ++i)
          records::append_raw_record(bytes, batch[i].key(), batch[i].record());
        context.progress.add(1);
        return bytes;
      },
      [&](std::uint64_t, const base::Bytes& bytes) {
        table.record_bytes.push_back(bytes.size());
        sink.append(bytes);
      });
}

}  // namespace crivo::index
