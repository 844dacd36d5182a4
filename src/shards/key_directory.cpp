// SPDX-License-Identifier: Apache-2.0
#include "shards/key_directory.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <memory>
#include <span>

#include "base/arithmetic.hpp"
#include "build/map_input.hpp"
#include "crivo/error.hpp"
#include "file/directory.hpp"
#include "file/layout.hpp"
#include "file/section_types.hpp"
#include "lookup/kinds.hpp"
#include "records/block.hpp"
#include "records/limits.hpp"

namespace crivo::index {
namespace {

constexpr unsigned kMaxPieceBits = 20;
constexpr std::uint32_t kTexts = 4;  ///< beside the values of a table
constexpr std::uint32_t kMany = 8;   ///< the same
constexpr std::uint32_t kGroups = 16;

void put(std::span<const std::uint64_t> numbers, base::FieldWriter& w) {
  base::Bytes bytes(numbers.size_bytes());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    base::store_le(bytes.data() + i * sizeof numbers[i], numbers[i]);
  w.bytes(bytes);
}

KeyTable decode_table(const file::Container& container) {
  base::FieldReader r(container.require(file::kKeyTableSection, "key table"), container.name());
  KeyTable table;
  std::uint32_t values = r.u32();
  table.texts = (values & kTexts) != 0;
  table.many = (values & kMany) != 0;
  table.groups = (values & kGroups) != 0;
  values &= ~(kTexts | kMany | kGroups);
  table.piece_bits = r.u32();
  table.task = r.u64();
  table.tasks = r.u64();
  table.units = r.u64();
  table.sums.hi = r.u64();
  table.sums.lo = r.u64();
  table.sums.values = r.u64();
  table.odd_sum = r.u64();
  table.value_or = r.u64();
  std::ranges::copy(r.take(table.input_id.size()), table.input_id.begin());
  const bool has_records = container.find(file::kRecordPiecesSection).has_value();
  if (values > 3) r.fail("damaged: the type of its values is unknown");
  table.values = KeyValues{values};
  if (table.many && table.values != KeyValues::rows) r.fail("damaged: its keys have no rows");
  if (table.texts && !has_records) r.fail("damaged: it has no texts of its keys");
  take_repeats(r, has_records, table);
  if (table.piece_bits > kMaxPieceBits) r.fail("damaged: it has too many pieces");
  if (table.task >= table.tasks || table.tasks > kMostTasks)
    r.fail("damaged: it belongs to no task");
  const std::uint64_t pieces = std::uint64_t{1} << table.piece_bits;
  if (r.remaining() != 8 * pieces * (has_records ? 2 : 1))
    r.fail("damaged: its table does not have one entry per piece");
  table.counts.resize(pieces);
  std::uint64_t keys = 0;
  for (std::uint64_t& count : table.counts) {
    count = r.u64();
    if (count > container.header().keys - keys) r.fail("damaged: its pieces have too many keys");
    keys += count;
  }
  if (has_records) {
    table.record_bytes.resize(pieces);
    for (std::uint64_t& bytes : table.record_bytes) bytes = r.u64();
  }
  const bool has_form = container.header().value_type != file::ValueTypeId::none;
  if (has_form != (table.values == KeyValues::given))
    r.fail("damaged: the form of its values is missing");
  if (keys != container.header().keys || keys > table.units)
    r.fail("damaged: its numbers of keys do not agree");
  return table;
}

Totals decode_totals(const file::Container& container) {
  base::FieldReader r(container.require(file::kTotalsSection, "totals"), container.name());
  Totals totals;
  totals.keys = container.header().keys;
  totals.seed = container.header().seed;
  totals.key_hash = container.header().key_hash;
  totals.plan_id = container.header().build_id;
  totals.units = r.u64();
  const std::uint32_t values = r.u32();
  totals.value_bits = r.u32();
  totals.sums.hi = r.u64();
  totals.sums.lo = r.u64();
  totals.sums.values = r.u64();
  take_repeats(r, true, totals);
  if (values == static_cast<std::uint32_t>(KeyValues::rows)) totals.distinct = r.u64();
  if (values > 3 || totals.distinct > totals.keys || totals.value_bits > 64 ||
      totals.keys > totals.units)
    r.fail("damaged: its numbers of keys do not agree");
  totals.values = KeyValues{values};
  while (r.remaining() != 0) {
    Totals::File& file = totals.files.emplace_back();
    std::ranges::copy(r.take(file.digest.size()), file.digest.begin());
    file.first_number = r.u64();
  }
  const auto counts = container.find(file::kValueCountSection);
  if (counts.has_value() != (totals.values == KeyValues::given))
    r.fail("damaged: it has no counts of its values");
  if (counts) totals.counts = csf::decode_histogram(*counts, totals.keys, container.name());
  return totals;
}

[[noreturn]] void refuse_file(const std::string& name, const std::string& problem,
                              const char* remedy = "") {
  throw Error(ErrorKind::usage, name + ": " + problem, {.file = name, .remedy = remedy});
}

/// Whether `totals` can be those of the files. Where equal keys of several files were dropped, the
/// files say no more than how many keys there are at least and at most.
bool are_totals_of(const KeyDirectory& directory, const Totals& totals) {
  const Totals all = directory.added_up();
  const auto same_number = [](const Totals::File& a, const Totals::File& b) {
    return a.first_number == b.first_number;
  };
  if (totals.units != all.units || totals.seed != all.seed || totals.key_hash != all.key_hash ||
      totals.values != all.values || totals.drops_repeats != all.drops_repeats ||
      totals.repeated != all.repeated || totals.prefixes != all.prefixes ||
      !std::ranges::equal(totals.files, all.files, same_number))
    return false;
  if (!totals.drops_repeats && totals.values != KeyValues::rows)
    return totals.keys == all.keys && totals.sums == all.sums &&
           totals.value_bits == all.value_bits;
  std::uint64_t least = 0;
  for (const auto& file : directory.files) least = std::max(least, file->header().keys);
  return totals.keys >= least && totals.keys <= all.keys && totals.value_bits <= all.value_bits;
}

/// The number of tasks of the files of keys there: of the one with the least name.
std::uint64_t tasks_in(const std::filesystem::path& path) {
  std::string least;
  for (const std::string& name : file::Directory(path).names()) {
    if (name.starts_with("keys-") && name.ends_with(".crv") && (least.empty() || name < least))
      least = name;
  }
  const std::size_t at = least.find("-of-");
  std::uint64_t tasks = 0;
  if (at != std::string::npos) {
    (void)std::from_chars(least.data() + at + 4, least.data() + least.size(), tasks);
  }
  if (tasks == 0 || tasks > kMostTasks)
    refuse_file(path.string(), "does not hold keys of a partition", "partition_keys");
  return tasks;
}

}  // namespace

base::Bytes encode(const KeyTable& table) {
  base::FieldWriter w;
  w.u32(static_cast<std::uint32_t>(table.values) | (table.texts ? kTexts : 0) |
        (table.many ? kMany : 0) | (table.groups ? kGroups : 0));
  w.u32(table.piece_bits);
  std::vector<std::uint64_t> numbers{table.task,    table.tasks,   table.units,
                                     table.sums.hi, table.sums.lo, table.sums.values,
                                     table.odd_sum, table.value_or};
  put(numbers, w);
  w.bytes(table.input_id);
  numbers = {encode_repeats(table)};
  numbers.insert(numbers.end(), table.counts.begin(), table.counts.end());
  numbers.insert(numbers.end(), table.record_bytes.begin(), table.record_bytes.end());
  put(numbers, w);
  return w.take();
}

base::Bytes encode(const Totals& totals) {
  base::FieldWriter w;
  w.u64(totals.units).u32(static_cast<std::uint32_t>(totals.values)).u32(totals.value_bits);
  w.u64(totals.sums.hi).u64(totals.sums.lo).u64(totals.sums.values);
  w.u64(encode_repeats(totals));
  if (totals.values == KeyValues::rows) w.u64(totals.distinct);
  for (const Totals::File& file : totals.files) w.bytes(file.digest).u64(file.first_number);
  return w.take();
}

KeyFile::KeyFile(const std::filesystem::path& path)
    : file_(path, file::Loading::for_a_pass),
      container_(file::Container::over(file_.bytes(), path.string())) {
  if (header().kind != file::Kind::keys) refuse_file(name(), "does not hold keys of a partition");
  std::uint64_t chunks = 0;
  for (const file::SectionEntry& section : container_.sections())
    chunks += file::layout::chunks_of(section.length);
  checked_chunks_ = std::vector<std::atomic<bool>>(chunks);
  table_ = decode_table(container_);
  const std::uint64_t key_bytes = kHashBytes + (has_values() ? 8 : 0);
  begins_.reserve(table_.counts.size());
  std::uint64_t begin = 0;
  for (const std::uint64_t count : table_.counts) {
    begins_.push_back(begin);
    begin += count * key_bytes;
  }
  const base::ByteView pieces = container_.require(file::kKeyPiecesSection, "key pieces");
  if (header().keys > pieces.size() / key_bytes || pieces.size() != begin)
    container_.fail("damaged: its keys do not fill its pieces");
  if (!has_records()) return;
  const base::ByteView records = container_.require(file::kRecordPiecesSection, "record pieces");
  record_begins_.reserve(table_.record_bytes.size());
  std::uint64_t record_begin = 0;
  for (const std::uint64_t bytes : table_.record_bytes) {
    if (bytes > records.size() - record_begin)
      container_.fail("damaged: its records do not fill its pieces");
    record_begins_.push_back(record_begin);
    record_begin += bytes;
  }
  if (record_begin != records.size())
    container_.fail("damaged: its records do not fill its pieces");
}

base::ByteView KeyFile::checked(std::uint32_t type, std::uint64_t begin,
                                std::uint64_t bytes) const {
  for (const file::SectionEntry& section : container_.sections()) {
    if (section.type != type) continue;
    if (bytes == 0) return {};
    constexpr std::uint64_t kChunk = file::layout::kChunkBytes;
    for (std::uint64_t i = begin / kChunk; i <= (begin + bytes - 1) / kChunk; ++i) {
      std::atomic<bool>& is_checked = checked_chunks_[section.first_chunk + i];
      if (is_checked.load(std::memory_order_relaxed)) continue;
      container_.check_sums(section, i * kChunk, 1);
      is_checked.store(true, std::memory_order_relaxed);
    }
    return container_.bytes_of(section).subspan(begin, bytes);
  }
  return {};
}

base::ByteView KeyFile::checked_piece(std::uint64_t piece) const {
  return checked(file::kKeyPiecesSection, begins_[piece],
                 table_.counts[piece] * (kHashBytes + (has_values() ? 8 : 0)));
}

void KeyFile::note_read(std::uint64_t bytes) const noexcept {
  constexpr std::uint64_t kForget = std::uint64_t{8} << 20;
  if (held_.fetch_add(bytes, std::memory_order_relaxed) + bytes < kForget) return;
  held_.store(0, std::memory_order_relaxed);
  file_.forget();
}

void KeyFile::for_each_record(std::uint64_t piece, const VisitRecord& visit) const {
  constexpr std::uint64_t kMostSizes = 10;  // two varints
  const std::byte* hash = checked_piece(piece).data();
  std::uint64_t place = record_begins_[piece];
  const std::uint64_t end = place + table_.record_bytes[piece];
  std::uint64_t checked_end = place;
  const auto check_to = [&](std::uint64_t wanted) {
    if (wanted <= checked_end) return;
    constexpr std::uint64_t kChunk = file::layout::kChunkBytes;
    checked_end = std::min(end, base::align_up(wanted, kChunk));
    (void)checked(file::kRecordPiecesSection, place, checked_end - place);
  };
  const base::ByteView all = container_.require(file::kRecordPiecesSection, "record pieces");
  for (std::uint64_t i = 0; i < table_.counts[piece]; ++i, hash += kHashBytes) {
    check_to(std::min(end, place + kMostSizes));
    base::ByteView rest = all.subspan(place, end - place);
    std::string_view key;
    std::string_view record;
    if (!records::take_raw_record(rest, key, record))
      container_.fail("damaged: its records are malformed");
    file::naming(name(), [&] { records::check_limits(key, record); });
    const std::size_t of_text = table_.values == KeyValues::given ? sizeof(std::uint64_t) : 0;
    if (table_.texts && record.size() != of_text)
      container_.fail("damaged: a key has no value beside it, or more than that");
    const std::uint64_t next = end - rest.size();
    const bool is_far = record.size() >= records::RecordEntry::kLeastFar;
    check_to(is_far ? next - record.size() : next);
    visit(hash_at(hash, piece), key, record, next - record.size());
    place = next;
  }
  if (place != end) container_.fail("damaged: it has more records than keys");
  note_read(table_.record_bytes[piece]);
}

std::string_view KeyFile::record_at(std::uint64_t place, std::size_t bytes) const {
  note_read(bytes);
  return base::as_text(checked(file::kRecordPiecesSection, place, bytes));
}

KeyDirectory KeyDirectory::open(const std::filesystem::path& path) {
  KeyDirectory directory;
  directory.path = path;
  Totals& totals = directory.totals;
  const std::uint64_t tasks = tasks_in(path);
  for (std::uint64_t task = 0; task < tasks; ++task) {
    const std::filesystem::path name = path / keys_file_name(task, tasks);
    if (!std::filesystem::exists(name))
      refuse_file(name.string(), "is missing: part " + std::to_string(task) + "/" +
                                     std::to_string(tasks) +
                                     " of the partition is still to be done");
    auto file = std::make_unique<const KeyFile>(name);
    const KeyTable& table = file->table();
    if (table.task != task || table.tasks != tasks)
      refuse_file(file->name(), "holds the keys of another part than its name says");
    const ValueForm form =
        table.values == KeyValues::given ? value_form(file->header()) : ValueForm{};
    RowsOptions rows;
    if (table.values == KeyValues::rows) take_key_choices(file->container().metadata(), rows);
    if (task == 0) {
      totals.form = form;
      totals.seed = file->header().seed;
      totals.key_hash = file->header().key_hash;
      totals.plan_id = file->header().build_id;
      totals.values = table.values;
      totals.drops_repeats = table.drops_repeats;
      totals.repeated = table.repeated;
      totals.prefixes = table.prefixes;
      totals.has_records = file->has_records();
      totals.texts = table.texts;
      totals.many = table.many;
      totals.groups = table.groups;
      totals.rows = rows;
    } else if (file->header().build_id != totals.plan_id ||
               file->header().key_hash != totals.key_hash || table.values != totals.values ||
               form != totals.form || table.drops_repeats != totals.drops_repeats ||
               table.repeated != totals.repeated || table.prefixes != totals.prefixes ||
               file->has_records() != totals.has_records || table.texts != totals.texts ||
               table.many != totals.many || table.groups != totals.groups ||
               rows.null_text != totals.rows.null_text || rows.fixed != totals.rows.fixed) {
      refuse_file(file->name(), "belongs to another partition than " + directory.files[0]->name());
    } else if (file->header().seed != totals.seed) {
      refuse_file(file->name(),
                  "has the hash seed " + std::to_string(file->header().seed) + ", and " +
                      directory.files[0]->name() + " " + std::to_string(totals.seed) +
                      ": keys collide; partition again with another seed",
                  "keyed_hash");
    }
    totals.piece_bits = std::max(totals.piece_bits, table.piece_bits);
    for (const std::uint64_t bytes : table.record_bytes) totals.record_bytes += bytes;
    totals.files.push_back({file->digest(), totals.units});
    totals.units += table.units;
    directory.files.push_back(std::move(file));
  }
  if (totals.values == KeyValues::rows) directory.rows = DealtFiles(directory.files);
  return directory;
}

KeyDirectory KeyDirectory::open_finished(const std::filesystem::path& path) {
  const std::filesystem::path name = path / kTotalsName;
  if (!std::filesystem::exists(name))
    refuse_file(path.string(), "is a partition that is not finished", "finish_partition");
  const file::Container container = file::Container::open(name);
  if (container.header().kind != file::Kind::totals) refuse_file(name.string(), "holds no totals");
  KeyDirectory directory = open(path);
  Totals totals = decode_totals(container);
  if (totals.plan_id != directory.totals.plan_id || totals.files.size() != directory.files.size())
    refuse_file(name.string(), "belongs to another partition; finish this one anew",
                "finish_partition");
  for (std::size_t task = 0; task < totals.files.size(); ++task) {
    if (totals.files[task].digest != directory.totals.files[task].digest)
      refuse_file(directory.files[task]->name(),
                  "is not the file that " + name.string() + " counted; finish the partition anew",
                  "finish_partition");
  }
  if (!are_totals_of(directory, totals))
    container.fail("damaged: its totals are not those of the files beside it");
  totals.form = directory.totals.form;
  totals.has_records = directory.totals.has_records;
  totals.texts = directory.totals.texts;
  totals.many = directory.totals.many;
  totals.groups = directory.totals.groups;
  totals.rows = directory.totals.rows;
  totals.piece_bits = directory.totals.piece_bits;
  totals.record_bytes = directory.totals.record_bytes;
  directory.totals = std::move(totals);
  directory.is_finished = true;
  return directory;
}

void KeyDirectory::fail_totals() const {
  const std::string name = (path / kTotalsName).string();
  throw Error(ErrorKind::corrupt, name + ": damaged: its totals are not those of the keys",
              {.file = name});
}

Totals KeyDirectory::added_up() const {
  Totals all = totals;
  std::uint64_t value_or = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const KeyTable& table = files[i]->table();
    all.keys += files[i]->header().keys;
    all.sums += table.sums;
    if (all.values == KeyValues::numbers)
      all.sums.values += all.files[i].first_number * table.odd_sum;
    value_or |= table.value_or;
  }
  if (all.values == KeyValues::numbers) value_or = std::max<std::uint64_t>(all.units, 1) - 1;
  if (all.values == KeyValues::rows) value_or = std::max<std::uint64_t>(rows.rows(), 1) - 1;
  all.value_bits = static_cast<unsigned>(std::bit_width(value_or));
  return all;
}

}  // namespace crivo::index
