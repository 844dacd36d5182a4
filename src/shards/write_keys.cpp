// SPDX-License-Identifier: Apache-2.0
#include "shards/write_keys.hpp"

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/named_rows.hpp"
#include "base/parallel.hpp"
#include "base/refuse_option.hpp"
#include "build/build_frame.hpp"
#include "build/filter_set_plan.hpp"
#include "build/map_input.hpp"
#include "crivo/error.hpp"
#include "file/section_types.hpp"
#include "records/block.hpp"
#include "shards/key_directory.hpp"
#include "shards/universe_directory.hpp"

namespace crivo::index {

file::ContentId plan_id(const KeyInput& input, const std::vector<Stamp>& stamps,
                        const PartitionOptions& partition, const BuildOptions& options,
                        const input::RowFiles* rows) {
  base::FieldWriter w;
  for (std::size_t i = 0; i < stamps.size(); ++i) {
    w.u64(input.paths[i].size())
        .bytes(base::as_bytes(input.paths[i]))
        .u64(stamps[i] ? stamps[i]->size : 0);
  }
  const KeyFormat& format = input.format;
  w.u8(static_cast<std::uint8_t>(format.framing)).u32(format.width).u8(format.strip_cr ? 1 : 0);
  w.u8(format.binary_lines ? 1 : 0);
  w.u32(format.key_column).u32(format.value_column).u32(format.row_column);
  w.u8(static_cast<std::uint8_t>(format.column_delimiter)).u8(format.quotes ? 1 : 0);
  w.u8(format.skip_header ? 1 : 0).u8(format.hex ? 1 : 0);
  for (const std::string& name : {format.key_name, format.value_name, format.row_name,
                                  format.json_key, format.json_value, format.json_row}) {
    w.u64(name.size()).bytes(base::as_bytes(name));
  }
  for (const std::string& key : format.leading_keys) w.u64(key.size()).bytes(base::as_bytes(key));
  w.u8(format.allow_empty ? 1 : 0).u64(partition.shards).u8(partition.values ? 1 : 0);
  w.u8(static_cast<std::uint8_t>(partition.form.type)).u32(partition.form.scale);
  w.bytes(base::as_bytes(partition.hash)).u64(partition.part.count).u64(options.seed);
  w.u8(options.keyed_hash ? 1 : 0).u8(options.ignore_duplicates ? 1 : 0);
  w.u8(partition.records ? 1 : 0).u8(static_cast<std::uint8_t>(partition.repeated));
  if (partition.grouped) w.u8(1).bytes(base::as_bytes(partition.group_delimiter));
  w.u8(partition.numbers ? 1 : 0)
      .u8(partition.texts ? 1 : 0)
      .bytes(base::as_bytes(partition.prefixes));
  if (partition.filter_set) w.u8(1).bytes(base::as_bytes(digest_of_groups(input)));
  if (rows != nullptr) {
    w.u8(partition.rows->many ? 1 : 0)
        .u32(partition.rows->fixed)
        .bytes(base::as_bytes(partition.rows->null_text));
    for (const input::RowFile& file : rows->files()) {  // those that are known
      w.u64(file.name.size()).bytes(base::as_bytes(file.name)).u64(file.groups.size());
      for (const std::uint64_t group : file.groups) w.u64(group);
    }
  }
  return file::content_hash(w.view());
}

file::ContentId input_id(const KeyInput& input, const std::vector<Stamp>& stamps,
                         const std::optional<input::InputPart>& part) {
  if (input.source) return {};
  base::FieldWriter w;
  for (std::size_t i = 0; part && i < stamps.size(); ++i) {
    if (i < part->first_file || i > part->last_file) continue;
    if (!stamps[i]) return {};
    constexpr std::int64_t kSecond = 1'000'000'000;  // nanoseconds
    w.u64(i).u64(stamps[i]->size);
    w.u64(static_cast<std::uint64_t>(stamps[i]->changed / kSecond));
    w.u64(static_cast<std::uint64_t>(stamps[i]->changed % kSecond));
    w.u64(part->begin_in(i)).u64(part->end_in(i));
  }
  return file::content_hash(w.view());
}

namespace {

// The bytes of records that wait for their turn, a thread; and those written at a time.
constexpr std::uint64_t kWaitingBytes = std::uint64_t{4} << 20;
constexpr std::size_t kWriteBytes = std::size_t{256} << 10;

/// The bytes that a partition of the keys adds to a file.
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

/// The records of pieces, as the file has them.
class RecordPieces {
 public:
  RecordPieces(const records::RecordSource& source, records::Duplicates duplicates,
               const KeyTable& table)
      : source_(source), duplicates_(duplicates), table_(table) {}

  /// Reads the entries of a piece. Returns what its records take.
  std::uint64_t read(std::uint64_t piece, records::RecordBatch& batch) const {
    batch.fold(duplicates_);
    source_.read(table_.piece_bits, piece, batch);
    batch.sort(duplicates_);
    if (batch.size() != table_.counts[piece]) {
      throw Error(ErrorKind::bad_input,
                  "the records do not match the keys; perhaps two keys are equal");
    }
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      bytes += records::raw_record_size(std::size_t{batch[i].key_size()},
                                        std::size_t{batch[i].record_size()});
    }
    return bytes;
  }
  static void append(const records::RecordBatch& batch, std::size_t i, base::Bytes& to) {
    records::append_raw_sizes(to, batch[i].key_size(), batch[i].record_size());
    batch.append_pair(batch[i], to);
  }
  /// Writes one record after the other, of a piece that there is no room for. Returns the bytes.
  std::uint64_t write_slowly(std::uint64_t piece, base::Sink& sink) const {
    records::RecordBatch batch;
    const std::uint64_t bytes = read(piece, batch);
    base::Bytes some;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      append(batch, i, some);
      if (some.size() < kWriteBytes && i + 1 != batch.size()) continue;
      sink.append(some);
      some.clear();
    }
    return bytes;
  }

 private:
  const records::RecordSource& source_;
  records::Duplicates duplicates_;
  const KeyTable& table_;
};

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
  const RecordPieces pieces(source, duplicates, table);
  context.progress.begin("deal out records", table.counts.size());
  base::parallel_ordered_within(
      context.threads, table.counts.size(), kWaitingBytes * context.threads,
      [&](std::uint64_t piece, const auto& has_room) {
        records::RecordBatch batch;
        std::optional<base::Bytes> bytes;
        if (!has_room(pieces.read(piece, batch))) return bytes;
        bytes.emplace();
        for (std::size_t i = 0; i < batch.size(); ++i) RecordPieces::append(batch, i, *bytes);
        return bytes;
      },
      [&](std::uint64_t piece, const std::optional<base::Bytes>& bytes) {
        table.record_bytes.push_back(bytes ? bytes->size() : pieces.write_slowly(piece, sink));
        if (bytes) sink.append(*bytes);
        context.progress.add(1);
      });
}

hashing::KeyHashId named_hash(const std::string& name) {
  std::vector<std::string_view> names;
  for (const hashing::KeyHashId hash :
       {hashing::KeyHashId::xxh3, hashing::KeyHashId::xxh64, hashing::KeyHashId::range}) {
    names.push_back(hashing::key_hash_name(hash));
    if (names.back() == name) return hash;
  }
  base::refuse_name("key hash", name, names);
}

namespace {

/// What the keys are dealt out for.
KindInput read_by(const KeyInput& input, const PartitionOptions& partition) noexcept {
  if (partition.rows) return KindInput::rows;
  if (partition.filter_set) return KindInput::groups;
  return input.universe ? KindInput::universe : KindInput::keys;
}

}  // namespace

void check_partition(const KeyInput& input, const PartitionOptions& partition) {
  const Share& part = partition.part;
  if (input.paths.empty() && !input.source) throw Error(ErrorKind::usage, "no input was given");
  check_input(input, read_by(input, partition), "this partition");
  if (partition.grouped && (partition.values || partition.records))
    throw Error(ErrorKind::usage, "a key has a group, a value or a record, and one of these alone");
  if (partition.rows && (partition.values || partition.records || partition.texts ||
                         !partition.prefixes.empty() || partition.hash != "xxh3"))
    throw Error(ErrorKind::usage,
                "keys with rows have no values, records, prefixes or universe, and are hashed by "
                "xxh3; their texts are not kept",
                {.remedy = "rows"});
  if (partition.rows) check_rows_options(*partition.rows);
  if (partition.filter_set &&
      (partition.values || partition.records || partition.texts || partition.rows ||
       partition.grouped || !partition.prefixes.empty() || partition.hash != "xxh3"))
    throw Error(ErrorKind::usage,
                "keys of a filter set have no values, records, rows, prefixes or universe, and are "
                "hashed by xxh3; their texts are not kept",
                {.remedy = "filter_set"});
  if (partition.values && partition.records)
    throw Error(ErrorKind::usage, "a key has a value or a record, not both");
  if (partition.texts && (partition.records || !partition.prefixes.empty()))
    throw Error(ErrorKind::usage, "texts can be kept of keys and of keys with values only");
  if (partition.prefixes.size() > 1)
    throw Error(ErrorKind::usage, quote(partition.prefixes) + " is not one character",
                {.remedy = "prefixes"});
  if (!partition.prefixes.empty() &&
      (partition.values || partition.records || input.universe || partition.hash == "range"))
    throw Error(ErrorKind::usage,
                "keys with prefixes are those of a filter of texts: they have no values, records "
                "or universe",
                {.remedy = "prefixes"});
  if (partition.group_delimiter.size() > 1 ||
      (!partition.grouped && !partition.group_delimiter.empty()))
    base::refuse_option("group_delimiter", quote(partition.group_delimiter) +
                                               " is not one character of keys with groups");
  if (partition.form.scale > (partition.form.type == ValueType::decimal ? kMaxValueScale : 0))
    base::refuse_option("scale", "decimal values have a scale of 0 to 18, and others have none");
  if (partition.shards == 0) throw Error(ErrorKind::usage, "there must be at least one shard");
  if (part.index >= part.count)
    throw Error(ErrorKind::usage, "no part " + std::to_string(part.index) + " of " +
                                      std::to_string(part.count) + "; shards count from 0");
  if (part.count > kMostTasks)
    throw Error(ErrorKind::usage, std::to_string(part.count) + " tasks are too many: at most " +
                                      std::to_string(kMostTasks) + " can deal out keys");
}

}  // namespace crivo::index
