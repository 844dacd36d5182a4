// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/as_error.hpp"
#include "base/named_rows.hpp"
#include "base/parallel.hpp"
#include "build/build_frame.hpp"
#include "build/build_phases.hpp"
#include "build/built_hash.hpp"
#include "build/choices.hpp"
#include "build/filter_set_plan.hpp"
#include "build/map_input.hpp"
#include "build/notes.hpp"
#include "build/spooled_records.hpp"
#include "build/store_output.hpp"
#include "crivo/build/shards.hpp"
#include "crivo/error.hpp"
#include "crivo/rows.hpp"
#include "file/build/new_file.hpp"
#include "file/directory.hpp"
#include "file/section_types.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/kinds.hpp"
#include "records/block.hpp"
#include "shards/key_directory.hpp"
#include "shards/key_exchange.hpp"
#include "shards/universe_directory.hpp"
#include "shards/write_keys.hpp"
#include "stream/sorted_hashes.hpp"

namespace crivo {
namespace {

namespace fs = std::filesystem;
using index::KeyFile;
using index::KeyTable;
using index::KeyValues;

[[noreturn]] void refuse_partition(const fs::path& path, const std::string& problem,
                                   const char* remedy = "") {
  throw Error(ErrorKind::usage, path.string() + ": " + problem,
              {.file = path.string(), .remedy = remedy});
}

using index::Stamp;

/// A task's share of the input; nothing where no bytes are in it.
std::optional<input::InputPart> part_of(const KeyInput& input, index::Units units,
                                        const Share& part) {
  if (input.source || part.count == 1) return input::InputPart{};
  return index::share_of(input, units, part.index, part.count);
}

/// Makes the directory, or looks at what is in it: files of keys of another partition are refused,
/// or removed.
void prepare_directory(const fs::path& path, const file::ContentId& plan, bool replace) {
  if (file::make_directory(path)) return;
  for (const std::string& name : file::Directory(path).names()) {
    const fs::path entry = path / name;
    const bool is_keys = name.starts_with("keys-") && name.ends_with(".crv");
    if (!is_keys) {
      if (name == index::kTotalsName || name.starts_with('.')) continue;
      refuse_partition(path, "holds " + name + ", and is not a directory of partitioned keys");
    }
    if (KeyFile(entry).header().build_id == plan) continue;
    if (!replace)
      refuse_partition(entry,
                       "belongs to another partition (of other keys or options); remove the "
                       "directory, or replace it",
                       "replace");
    fs::remove(entry);
    fs::remove(path / index::kTotalsName);
  }
}

/// Whether the task's file is there, of the same input.
bool is_done(const fs::path& path, const file::ContentId& input, PartitionSummary& summary) {
  if (input == file::ContentId{} || !fs::exists(path)) return false;
  const KeyFile file(path);
  if (file.table().input_id != input) return false;
  summary.keys = file.header().keys;
  summary.duplicates = file.table().units - file.header().keys;
  summary.bytes = fs::file_size(path);
  summary.was_done = true;
  return true;
}

/// A task's keys may be all that are in a part of the hashes' range, where the input is in their
/// order, as dumps are. They are that in no smaller part of it: else they would not fit memory.
constexpr std::uint64_t kMostOrderedParts = 16;

/// Pieces of about an eighth of a shard, so that a shard reads little beside its own; and, where
/// `keys` of a file of `tasks` are laid out for reading alone, so small that a shard leases them as
/// they stand. (What is put elsewhere goes in slices of some pieces, which are to be few.)
unsigned piece_bits_for(std::uint64_t shards, std::uint64_t keys, std::uint64_t tasks) noexcept {
  constexpr unsigned kFinest = 13;
  constexpr std::uint64_t kLeastKeys = 512;  // a piece, in the mean
  const auto by_shards = static_cast<unsigned>(std::bit_width(shards)) + 3;
  const unsigned by_keys = std::min(stream::partition_bits_for(keys * tasks),
                                    static_cast<unsigned>(std::bit_width(keys / kLeastKeys)));
  return std::min(kFinest, std::max(by_shards, by_keys));
}

/// The stamps of all files, of which a task has some: then each must say how large it is.
std::vector<Stamp> stamps_of(const KeyInput& input, const Share& part) {
  std::vector<Stamp> stamps;
  for (const std::string& path : input.paths) {
    stamps.push_back(path == "-" ? std::nullopt : input::stamp_of(path));
    if (!stamps.back() && part.count != 1 && (path == "-" || fs::exists(path)))
      refuse_partition(
          path, "is not a regular file, so its share of the keys is not known; use one part");
  }
  return stamps;
}

/// Whether the file has the keys themselves.
bool keeps_keys(const PartitionOptions& partition) noexcept {
  return partition.records || partition.texts;
}

KeyValues values_of(const PartitionOptions& partition) noexcept {
  if (partition.rows) return KeyValues::rows;
  if (partition.values) return KeyValues::given;
  return keeps_keys(partition) || !partition.numbers || !partition.prefixes.empty() ||
                 partition.filter_set
             ? KeyValues::none
             : KeyValues::numbers;
}

/// Without what depends on the keys.
KeyTable table_of(const PartitionOptions& partition, const BuildOptions& options, index::KeysOf of,
                  const file::ContentId& state) {
  KeyTable table;
  table.values = of == index::KeysOf::all ? values_of(partition)
                 : partition.grouped      ? KeyValues::given
                                          : KeyValues::none;
  table.texts = partition.texts;
  table.many = partition.rows && partition.rows->many;
  table.groups = partition.filter_set;
  table.task = partition.part.index;
  table.tasks = partition.part.count;
  table.drops_repeats = options.ignore_duplicates && of != index::KeysOf::universe && !table.many;
  if (table.drops_repeats) table.repeated = partition.repeated;
  if (table.groups) table.drops_repeats = true;
  if (!partition.prefixes.empty()) {
    table.prefixes = partition.prefixes.front();
    table.drops_repeats = true;
  }
  table.input_id = state;
  return table;
}

/// Without what is known when the keys are read.
file::Header header_of(const PartitionOptions& partition, const BuildOptions& options,
                       hashing::KeyHashId hash, const file::ContentId& plan) {
  file::Header header;
  header.kind = file::Kind::keys;
  header.key_hash = hash;
  header.seed = options.seed;
  header.build_id = plan;
  if (partition.values || partition.grouped) index::set_value_form(partition.form, header);
  return header;
}

/// Returns what decides, beside the input, about what a task reads of it.
file::Metadata choices_of(const KeyInput& input, const PartitionOptions& partition,
                          const BuildOptions& options, index::KeysOf of) {
  return {
      {"filter_set", partition.filter_set ? "1" + index::digest_of_groups(input) : ""},
      {"keys_of", std::to_string(static_cast<int>(of))},
      {"grouped", std::to_string(partition.grouped ? 1 : 0)},
      {"group_delimiter", partition.group_delimiter},
      {"part", std::to_string(partition.part.index) + "/" + std::to_string(partition.part.count)},
      {"values", std::to_string(partition.values ? 1 : 0)},
      {"value_scale", std::to_string(partition.form.scale)},
      {"value_type", value_type_name(partition.form.type)},
      {"prefixes", partition.prefixes},
      {"numbers", std::to_string(partition.numbers ? 1 : 0)},
      {"records", std::to_string(partition.records ? 1 : 0)},
      {"texts", std::to_string(partition.texts ? 1 : 0)},
      {"rows", !partition.rows
                   ? ""
                   : std::to_string(partition.rows->many ? 1 : 0) +
                         std::to_string(partition.rows->fixed) + partition.rows->null_text},
      {"keyed_hash", std::to_string(options.keyed_hash ? 1 : 0)}};
}

/// The names beside the keys: of the files of rows, or of groups.
struct BesideKeys {
  std::shared_ptr<input::RowFiles> rows;      ///< null: there are none
  std::optional<input::GroupNames> groups{};  ///< once they are read
};

/// Has `write` work on the keys of a task's share of the input, of which there may be none.
void read_task(const KeyInput& input, const std::optional<input::InputPart>& share,
               const PartitionOptions& partition, const BuildOptions& options, index::KeysOf of,
               index::BuildFrame& frame, input::HashOptions hashing, index::SpooledRecords& records,
               BesideKeys& beside, const input::UseKeys& write) {
  const std::uint64_t tasks = partition.part.count;
  const std::uint64_t names_bytes = index::names_bytes(frame.memory().budget());
  if (partition.filter_set) beside.groups.emplace(names_bytes);
  hashing.alike = crivo::hashing::keys_alike(index::named_hash(partition.hash));
  if (!partition.prefixes.empty()) hashing.prefixes = partition.prefixes.front();
  hashing.parts = std::min(tasks, kMostOrderedParts);
  if (tasks != 1 && !input.source) hashing.part = share;
  if (hashing.part && hashing.expected_keys) *hashing.expected_keys /= tasks;
  if (!share) {
    const stream::SortedHashes none;
    records.begin();
    if (beside.rows != nullptr) beside.rows->finish();
    if (beside.groups) beside.groups->add_given(input, {hashing.hash, options.seed});
    write({.keys = none, .seed = options.seed});
  } else if (of != index::KeysOf::all) {
    if (of == index::KeysOf::universe) hashing.duplicates = input::DuplicatePolicy::count;
    input::hash_grouped_keys(input, {partition.grouped, partition.group_delimiter}, hashing,
                             frame.context(), write);
  } else if (beside.rows != nullptr) {
    if (partition.rows->many) hashing.duplicates = input::DuplicatePolicy::differing;
    input::hash_rows(input, *beside.rows, hashing, frame.context(), write);
  } else if (beside.groups) {
    hashing.memory_bytes -= std::min(hashing.memory_bytes, names_bytes);
    input::hash_keys_by_group(input, hashing, *beside.groups, frame.context(), write);
  } else if (partition.records) {
    input::hash_records(input, hashing, records, frame.context(), write);
  } else if (partition.texts) {
    input::hash_texts(input, partition.values ? &partition.form : nullptr, hashing, records,
                      frame.context(), write);
  } else if (partition.values) {
    input::hash_values(input, partition.form, 64, hashing, frame.context(), write);
  } else if (partition.numbers && !hashing.prefixes) {
    input::hash_numbered_keys(input, hashing, frame.context(), write);
  } else {
    input::hash_keys(input, hashing, frame.context(), write);
  }
}

/// Where groups stand.
input::Grouping grouping_of(const KeyInput& input, const PartitionOptions& partition) {
  if (partition.filter_set) return input::grouping_of(input);
  return {partition.grouped, partition.group_delimiter};
}

/// The input with the columns of groups, where keys have some.
KeyInput as_dealt(KeyInput input, index::KeysOf of, const PartitionOptions& partition,
                  hashing::KeyHashId hash) {
  input.format.max_key_bytes = std::min(input.format.max_key_bytes, hashing::max_key_bytes(hash));
  if (of != index::KeysOf::all || partition.filter_set)
    input.format = input::grouped_format(input.format, grouping_of(input, partition));
  return partition.rows ? index::rows_input(input, *partition.rows) : input;
}

index::Units units_of(const KeyInput& input, const PartitionOptions& partition) {
  if (partition.values || partition.rows || grouping_of(input, partition).is_of_pairs())
    return index::Units::values;
  return partition.records ? index::Units::records : index::Units::keys;
}

/// The files that its keys' rows are in; null where they have none.
std::shared_ptr<input::RowFiles> files_of(const PartitionOptions& partition, const KeyInput& input,
                                          const BuildOptions& options) {
  if (!partition.rows) return nullptr;
  Progress none;
  Progress* const given = options.resources.progress;
  return index::row_files_of(*partition.rows, input.format, given != nullptr ? *given : none, true);
}

/// Writes what is beside the keys, if there is anything; returns what a file of keys says of them.
file::Metadata write_beside(const PartitionOptions& partition, const BesideKeys& beside,
                            file::ContainerWriter& writer) {
  if (beside.groups) writer.begin_section(file::kGroupNamesSection).append(beside.groups->noted());
  if (beside.rows == nullptr) return {};
  writer.begin_section(file::kRowFilesSection).append(index::encode_files(*beside.rows));
  file::Metadata metadata = index::metadata_of(*partition.rows);
  std::erase_if(metadata, [](const auto& one) {
    return one.first != kNullTextName && one.first != kFixedName;
  });
  return metadata;
}

/// Where the records of a task that may be killed and go on are logged.
fs::path record_log_of(const input::HashOptions& hashing) {
  return hashing.resume != nullptr ? hashing.resume->record_log() : fs::path();
}

/// Gives the file its name; what was kept for going on is removed.
void publish(index::BuildFrame& frame, file::PendingFile& file, PartitionSummary& summary) {
  BuildSummary published;  // a partition has a summary of its own
  file::add_warnings(summary.warnings, file.publish());
  frame.end(published);
}

void note_keys(std::uint64_t keys, std::uint64_t units, std::uint64_t bytes,
               std::chrono::steady_clock::time_point begin, PartitionSummary& summary) noexcept {
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  summary.keys = keys;
  summary.duplicates = units - keys;
  summary.bytes = bytes;
}

/// A file of the same partition gives way. Where nothing is read, nothing is resumed.
BuildOptions options_of_task(BuildOptions options, bool reads) {
  index::refuse_notes(options);
  options.replace = true;
  if (!reads) options.resume_dir.clear();
  return options;
}

}  // namespace

PartitionSummary index::deal_out(const KeyInput& given, const fs::path& directory, KeysOf of,
                                 const PartitionOptions& partition, const BuildOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const Share& part = partition.part;
  index::check_partition(given, partition);
  const hashing::KeyHashId hash = index::built_hash(index::named_hash(partition.hash), options);
  const KeyInput input = as_dealt(given, of, partition, hash);
  const std::vector<Stamp> stamps = stamps_of(input, part);
  const index::Units units = units_of(input, partition);
  const std::optional<input::InputPart> share = part_of(input, units, part);
  BesideKeys beside{files_of(partition, input, options)};
  const file::ContentId plan = index::plan_id(input, stamps, partition, options, beside.rows.get());
  const file::ContentId state = index::input_id(input, stamps, share);
  prepare_directory(directory, plan, options.replace);
  const fs::path output = directory / index::keys_file_name(part.index, part.count);
  const index::PartExchange exchange(options);
  PartitionSummary summary;
  if (is_done(output, state, summary)) {
    index::put_keys(exchange, output);
    return summary;
  }

  const BuildOptions replacing = options_of_task(options, share.has_value());
  index::BuildFrame frame(replacing, index::hash_family(hash, input));
  file::PendingFile file(frame.outputs().file(output, input));
  file.bypass_cache();
  const index::PreparedInput prepared =
      share ? frame.prepare(input, units, std::nullopt, {{"partition", 25}}, partition.texts)
            : index::PreparedInput::unread(input);
  KeyTable table = table_of(partition, options, of, state);
  file::Header header = header_of(partition, options, hash, plan);
  const auto how = frame.hash_options(prepared, header, choices_of(input, partition, options, of));
  index::SpooledRecords records(frame, record_log_of(how));
  file::ContainerWriter::Written written;
  const auto write = [&](const input::KeySet& set) {
    frame.end_reading(set);
    file.restart();
    table.piece_bits = std::max(
        piece_bits_for(partition.shards, exchange.puts() ? 0 : set.keys.size(), part.count),
        keeps_keys(partition) ? frame.memory().spool_bits() : 0U);
    file::ContainerWriter writer(file, file::HashTree::none);
    write_sections(set, partition.grouped, table, frame.context(), writer);
    if (keeps_keys(partition)) {
      write_records(records.finish(frame.context()),
                    index::duplicates_of(table.drops_repeats, table.repeated), table,
                    frame.context(), writer.begin_section(file::kRecordPiecesSection));
    }
    frame.end_building();
    writer.begin_section(file::kKeyTableSection).append(index::encode(table));
    header.keys = set.keys.size();
    header.seed = set.seed;
    written = writer.finish(header, write_beside(partition, beside, writer));
    summary.warnings = set.warnings;
  };
  read_task(input, share, partition, options, of, frame, how, records, beside, write);
  publish(frame, file, summary);
  index::put_keys(exchange, output);
  note_keys(header.keys, table.units, written.bytes, begin, summary);
  return summary;
}

PartitionSummary partition_keys(const KeyInput& input, const fs::path& directory,
                                const PartitionOptions& partition, const BuildOptions& options) {
  std::error_code none;
  const bool is_new = !fs::exists(directory, none);
  try {
    PartitionOptions asked = partition;
    if (input.universe) asked.grouped = asked.grouped || !asked.group_delimiter.empty();
    index::check_partition(input, asked);
    if (input.universe) return index::deal_out_universe(input, directory, asked, options);
    if (partition.grouped)
      throw Error(ErrorKind::usage,
                  "keys of groups are those of an exact set, which needs a universe",
                  {.remedy = "universe"});
    return index::deal_out(input, directory, index::KeysOf::all, partition, options);
  } catch (...) {
    // Only if it is empty; other tasks may be about to use theirs.
    if (is_new && partition.part.count == 1) fs::remove(directory, none);
    base::rethrow_as_error();
  }
}

}  // namespace crivo
