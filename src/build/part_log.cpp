// SPDX-License-Identifier: Apache-2.0
#include "build/part_log.hpp"

#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "file/content_id.hpp"

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

}  // namespace crivo::index
