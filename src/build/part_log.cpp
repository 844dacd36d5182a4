// SPDX-License-Identifier: Apache-2.0
#include "build/part_log.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "build/memory_need.hpp"
#include "file/content_id.hpp"
#include "input/sources.hpp"

namespace crivo::index {
namespace {

/// No part is larger; lengths beyond are of no log.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;

std::uint64_t hash_of(std::uint64_t id, base::ByteView bytes) {
  const file::ContentId hash = file::content_hash(base::FieldWriter().u64(id).bytes(bytes).view());
  return base::load_le<std::uint64_t>(hash.data());
}

void put(base::FieldWriter& w, const std::vector<std::uint32_t>& numbers) {
  for (const std::uint32_t number : numbers) w.u32(number);
}

}  // namespace

std::uint64_t PartLog::Sizes::bytes() const noexcept {
  return body + notes + signatures + sizeof(std::uint32_t) * (of_keys + cell_keys);
}

PartLog::PartLog(const std::filesystem::path& name, std::uint64_t id)
    : id_(id), file_(name.parent_path(), name, base::TempFile::Caching::usual) {
  file_.go_on_from(read_entries(name));
}

std::uint64_t PartLog::read_entries(const std::filesystem::path& name) {
  if (!std::filesystem::exists(name)) return 0;
  const auto file = base::FileDescriptor::open_to_read(name);
  const std::uint64_t size = file.size();
  std::uint64_t at = 0;
  base::Bytes fields(kFields * sizeof(std::uint64_t));
  while (size - at >= fields.size() && file.read_at(at, fields)) {
    base::FieldReader r(fields, name.string());
    const Place place{r.u64(), r.u64(), r.u64()};
    Entry entry{.sizes = {r.u64(), r.u64(), r.u64(), r.u64(), r.u64(), r.u64()}};
    const base::ByteView checked = base::ByteView(fields).first(fields.size() - 16);
    if (r.u64() != hash_of(id_, checked)) break;
    entry.check = r.u64();
    entry.offset = at + fields.size();
    const Sizes& sizes = entry.sizes;
    for (const std::uint64_t some :
         {sizes.body, sizes.notes, sizes.signatures, sizes.of_keys, sizes.cell_keys}) {
      if (some > kMostBytes) return at;
    }
    if (sizes.bytes() > size - entry.offset) break;
    entries_[place] = entry;
    at = entry.offset + sizes.bytes();
  }
  return at;
}

std::optional<Part> PartLog::find(const Place& place) const {
  Entry entry;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = entries_.find(place);
    if (found == entries_.end()) return std::nullopt;
    entry = found->second;
  }
  base::Bytes bytes(entry.sizes.bytes());
  file_.read_at(entry.offset, bytes);
  if (hash_of(id_, bytes) != entry.check) return std::nullopt;
  base::FieldReader r(bytes, "a log of parts");
  const auto take = [&](std::uint64_t count) {
    const base::ByteView some = r.take(count);
    return base::Bytes(some.begin(), some.end());
  };
  Part part{take(entry.sizes.body), take(entry.sizes.notes), take(entry.sizes.signatures)};
  part.ranks.count = entry.sizes.ranks;
  for (auto [numbers, count] : {std::pair(&part.ranks.of_keys, entry.sizes.of_keys),
                                std::pair(&part.ranks.cell_keys, entry.sizes.cell_keys)}) {
    numbers->reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) numbers->push_back(r.u32());
  }
  return part;
}

void PartLog::add(const Place& place, const Part& part) {
  const Sizes sizes{part.body.size(), part.notes.size(),         part.signatures.size(),
                    part.ranks.count, part.ranks.of_keys.size(), part.ranks.cell_keys.size()};
  base::FieldWriter bytes;
  bytes.bytes(part.body).bytes(part.notes).bytes(part.signatures);
  put(bytes, part.ranks.of_keys);
  put(bytes, part.ranks.cell_keys);
  base::FieldWriter w;
  w.u64(place.step).u64(place.bits).u64(place.index);
  w.u64(sizes.body).u64(sizes.notes).u64(sizes.signatures);
  w.u64(sizes.ranks).u64(sizes.of_keys).u64(sizes.cell_keys);
  const std::uint64_t check = hash_of(id_, bytes.view());
  w.u64(hash_of(id_, w.view())).u64(check);
  const std::uint64_t fields = w.view().size();
  w.bytes(bytes.view());
  // One at a time, so that nothing stands behind what is not whole.
  const std::scoped_lock lock(mutex_);
  const std::uint64_t begin = file_.append(w.view());
  entries_[place] = {.sizes = sizes, .check = check, .offset = begin + fields};
}

namespace {

/// All that decides about the bytes of an output beside the keys, as a text.
std::string text_of(const KeyFormat& format, const BuildOptions& options,
                    const file::Header& header, file::Metadata choices) {
  const auto put = [&](const char* name, std::uint64_t value) {
    choices[name] = std::to_string(value);
  };
  put("format_version", std::uint64_t{file::kMajorVersion} << 32 | file::kMinorVersion);
  put("kind", static_cast<std::uint64_t>(header.kind));
  put("key_hash", static_cast<std::uint64_t>(header.key_hash));
  put("seed", options.seed);
  put("ignore_duplicates", options.ignore_duplicates ? 1 : 0);
  put("framing", static_cast<std::uint64_t>(format.framing));
  put("width", format.width);
  put("strip_cr", format.strip_cr ? 1 : 0);
  put("binary_lines", format.binary_lines ? 1 : 0);
  put("allow_empty", format.allow_empty ? 1 : 0);
  put("key_column", format.key_column);
  put("value_column", format.value_column);
  put("row_column", format.row_column);
  put("column_delimiter", static_cast<unsigned char>(format.column_delimiter));
  put("quotes", format.quotes ? 1 : 0);
  put("skip_header", format.skip_header ? 1 : 0);
  put("hex", format.hex ? 1 : 0);
  put("max_key_bytes", format.max_key_bytes);
  put("max_line_bytes", format.max_line_bytes);
  choices["key_name"] = format.key_name;
  choices["value_name"] = format.value_name;
  choices["row_name"] = format.row_name;
  choices["json_key"] = format.json_key;
  for (const std::string& key : format.leading_keys)
    choices["leading_keys"] += std::to_string(key.size()) + ':' + key;
  choices["json_value"] = format.json_value;
  choices["json_row"] = format.json_row;
  return std::string(base::as_text(file::encode(choices)));
}

/// Throws Error(usage) for an input that another process could not go on with.
void refuse_source(const KeyInput& input) {
  if (!input::Sources(input).are_files())
    throw Error(ErrorKind::usage, "a build that can be resumed needs files as its input",
                {.remedy = "resume_dir"});
}

/// A part is what a killed build reads again at most: a small share of the input, and no more than
/// memory holds; but large enough that what is written of each of its partitions is read back at a
/// disk's full rate.
std::uint64_t part_bytes(std::uint64_t memory_bytes, std::uint64_t input_bytes) noexcept {
  constexpr std::uint64_t kParts = 16;
  constexpr std::uint64_t kLeast = std::uint64_t{4} << 20;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
  return std::clamp(std::min(memory_bytes / 4, input_bytes / kParts), kLeast, kMost);
}

}  // namespace

input::ResumeDirectory* ResumePlaces::keys(const KeyInput& input, const file::Header& header,
                                           const file::Metadata& choices) {
  if (options_.resume_dir.empty()) return nullptr;
  refuse_source(input);
  keys_.emplace(options_.resume_dir, input.paths, text_of(input.format, options_, header, choices),
                part_bytes(budget_.bytes, input::regular_input_bytes(input).value_or(0)));
  return &*keys_;
}

input::HashLogPlace ResumePlaces::universe(const KeyInput& universe, const file::Header& header,
                                           const file::Metadata& choices,
                                           std::uint64_t& resumed_bytes) {
  if (options_.resume_dir.empty()) return {};
  refuse_source(universe);
  // A second one of a set that is read again, with another seed.
  universe_.reset();
  universe_.emplace(options_.resume_dir / "universe", universe.paths,
                    text_of(universe.format, options_, header, choices),
                    part_bytes(budget_.bytes, input::regular_input_bytes(universe).value_or(0)));
  return {&*universe_, budget_.stream_bytes() / 4, &resumed_bytes};
}

PartLog* ResumePlaces::parts(const input::KeySet& /*keys*/, unsigned cell_bits) {
  parts_.reset();
  if (keys_) parts_.emplace(keys_->part_log(), keys_->journal_check() + cell_bits);
  return parts_ ? &*parts_ : nullptr;
}

void ResumePlaces::remove() noexcept {
  if (universe_) universe_->remove();
  if (keys_) keys_->remove();
}

}  // namespace crivo::index
