// SPDX-License-Identifier: Apache-2.0
#include "records/updates/update_run.hpp"

#include <xxhash.h>

#include <algorithm>

#include "crivo/error.hpp"

namespace crivo::records {

namespace {

constexpr std::size_t kEntry = RunPlace::kEntryBytes;
constexpr std::size_t kHalf = kEntry / 2;

std::uint64_t load48(const std::byte* at) noexcept {
  return base::load_le<std::uint32_t>(at) | std::uint64_t{base::load_le<std::uint16_t>(at + 4)}
                                                << 32;
}
void store48(std::byte* at, std::uint64_t value) noexcept {
  base::store_le(at, static_cast<std::uint32_t>(value));
  base::store_le(at + 4, static_cast<std::uint16_t>(value >> 32));
}

std::uint64_t rank_at(base::ByteView page, std::size_t index) noexcept {
  return load48(page.data() + index * kEntry);
}
UpdateEntry entry_at(base::ByteView page, std::size_t index) noexcept {
  return {rank_at(page, index), load48(page.data() + index * kEntry + kHalf)};
}

/// The first entry of a page whose rank is not below.
std::size_t lower_bound(base::ByteView page, std::uint64_t rank) noexcept {
  std::size_t low = 0;
  for (std::size_t high = page.size() / kEntry; low < high;) {
    const std::size_t middle = low + (high - low) / 2;
    if (rank_at(page, middle) < rank) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace

base::Bytes encode_run(std::span<const UpdateEntry> entries, RunPlace& place) {
  place.entries = entries.size();
  base::Bytes bytes(place.end() - place.begin);
  std::byte* to = bytes.data();
  for (const UpdateEntry& entry : entries) {
    store48(to, entry.rank);
    store48(to + kHalf, entry.place);
    to += kEntry;
  }
  const std::size_t page_bytes = place.page_entries() * kEntry;
  const std::size_t table = entries.size() * kEntry;
  for (std::size_t at = 0; at < table; at += page_bytes) {
    const std::size_t size = std::min(page_bytes, table - at);
    base::store_le(to, load48(&bytes[at]));
    base::store_le(to + 8, XXH3_64bits(&bytes[at], size));
    to += RunPlace::kRowBytes;
  }
  place.check = XXH3_64bits(&bytes[table], bytes.size() - table);
  return bytes;
}

UpdateRun::UpdateRun(base::ByteView file, const RunPlace& place, std::uint64_t records)
    : place_(place),
      records_(records),
      page_entries_(place.page_entries()),
      pages_(place.pages()),
      states_(pages_) {
  const base::ByteView table = file.subspan(place.table_begin(), place.end() - place.table_begin());
  if (XXH3_64bits(table.data(), table.size()) != place.check) {
    throw Error(ErrorKind::corrupt,
                "damaged: the run at byte " + std::to_string(place.begin) + " is");
  }
}

std::uint64_t UpdateRun::first_rank(base::ByteView file, std::uint64_t page) const noexcept {
  return base::load_le<std::uint64_t>(&file[place_.table_begin() + page * RunPlace::kRowBytes]);
}

std::uint64_t UpdateRun::page_of(base::ByteView file, std::uint64_t rank) const noexcept {
  std::uint64_t low = 0;
  for (std::uint64_t high = pages_; low < high;) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (first_rank(file, middle) <= rank) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low == 0 ? pages_ : low - 1;
}

base::ByteView UpdateRun::page(base::ByteView file, std::uint64_t number) const noexcept {
  const std::uint64_t first = number * page_entries_;
  const std::uint64_t entries = std::min(page_entries_, place_.entries - first);
  const base::ByteView found = file.subspan(place_.begin + first * kEntry, entries * kEntry);
  State state = states_[number].load(std::memory_order_relaxed);
  if (state == unknown) {
    state = is_sound(file, found, number) ? sound : damaged;
    states_[number].store(state, std::memory_order_relaxed);
  }
  return state == sound ? found : base::ByteView{};
}

bool UpdateRun::is_sound(base::ByteView file, base::ByteView page,
                         std::uint64_t number) const noexcept {
  const std::byte* const row = &file[place_.table_begin() + number * RunPlace::kRowBytes];
  if (XXH3_64bits(page.data(), page.size()) != base::load_le<std::uint64_t>(row + 8)) return false;
  std::uint64_t least = base::load_le<std::uint64_t>(row);
  if (rank_at(page, 0) != least) return false;
  for (std::size_t i = 0; i < page.size() / kEntry; ++i) {
    const UpdateEntry entry = entry_at(page, i);
    if (entry.rank < least || (entry.place != 0 && entry.place < kLogFront) ||
        entry.place >= place_.begin) {
      return false;
    }
    least = entry.rank + 1;
  }
  return least <= (number + 1 == pages_ ? records_ : first_rank(file, number + 1));
}

UpdateRun::What UpdateRun::find(base::ByteView file, std::uint64_t rank,
                                UpdateEntry& entry) const noexcept {
  const std::uint64_t number = page_of(file, rank);
  if (number == pages_) return What::nothing;
  const base::ByteView found = page(file, number);
  if (found.empty()) return What::damaged;
  const std::size_t index = lower_bound(found, rank);
  if (index == found.size() / kEntry || rank_at(found, index) != rank) return What::nothing;
  entry = entry_at(found, index);
  return What::entry;
}

bool UpdateRun::visit(base::ByteView file, std::uint64_t begin, std::uint64_t end,
                      const std::function<void(const UpdateEntry&)>& visit) const {
  std::uint64_t number = page_of(file, begin);
  if (number == pages_) number = 0;  // all of them are above
  for (; number < pages_ && first_rank(file, number) < end; ++number) {
    const base::ByteView found = page(file, number);
    if (found.empty()) return false;
    const std::size_t entries = found.size() / kEntry;
    for (std::size_t i = lower_bound(found, begin); i < entries; ++i) {
      const UpdateEntry entry = entry_at(found, i);
      if (entry.rank >= end) return true;
      visit(entry);
    }
  }
  return true;
}

}  // namespace crivo::records
