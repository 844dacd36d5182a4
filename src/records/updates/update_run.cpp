// SPDX-License-Identifier: Apache-2.0
#include "records/updates/update_run.hpp"

#include <xxhash.h>

#include <algorithm>

namespace crivo::records {

namespace {

std::uint64_t load48(const std::byte* at) noexcept {
  return base::load_le<std::uint32_t>(at) | std::uint64_t{base::load_le<std::uint16_t>(at + 4)}
                                                << 32;
}
void store48(std::byte* at, std::uint64_t value) noexcept {
  base::store_le(at, static_cast<std::uint32_t>(value));
  base::store_le(at + 4, static_cast<std::uint16_t>(value >> 32));
}

template <typename Entry>
Entry entry_at(base::ByteView page, std::size_t index) noexcept {
  return Entry::load(page.data() + index * Entry::kBytes);
}

/// The first entry of a page whose key is not below.
template <typename Entry>
std::size_t lower_bound(base::ByteView page, const typename Entry::Key& key) noexcept {
  std::size_t low = 0;
  for (std::size_t high = page.size() / Entry::kBytes; low < high;) {
    const std::size_t middle = low + (high - low) / 2;
    if (entry_at<Entry>(page, middle).key() < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace

bool UpdateEntry::is_within(const RunBounds& bounds, std::uint64_t run_begin) const noexcept {
  return rank < bounds.ranks && (place == 0 || place >= kLogFront) && place < run_begin;
}
UpdateEntry UpdateEntry::load(const std::byte* at) noexcept {
  return {load48(at), load48(at + 6)};
}
void UpdateEntry::store(std::byte* at) const noexcept {
  store48(at, rank);
  store48(at + 6, place);
}
UpdateEntry::Key UpdateEntry::load_key(const std::byte* row) noexcept {
  return base::load_le<std::uint64_t>(row);
}
void UpdateEntry::store_key(const Key& key, std::byte* row) noexcept {
  base::store_le(row, key);
}

bool AddedEntry::is_within(const RunBounds& bounds, std::uint64_t /*run_begin*/) const noexcept {
  return rank >= bounds.sealed && rank < bounds.ranks;
}
AddedEntry AddedEntry::load(const std::byte* at) noexcept {
  return {load_key(at), load48(at + 16)};
}
void AddedEntry::store(std::byte* at) const noexcept {
  store_key(hash, at);
  store48(at + 16, rank);
}
AddedEntry::Key AddedEntry::load_key(const std::byte* row) noexcept {
  return {base::load_le<std::uint64_t>(row), base::load_le<std::uint64_t>(row + 8)};
}
void AddedEntry::store_key(const Key& key, std::byte* row) noexcept {
  base::store_le(row, key.hi);
  base::store_le(row + 8, key.lo);
}

template <typename Entry>
base::Bytes encode_run(std::span<const Entry> entries, RunPlace& place) {
  place.entries = entries.size();
  const std::size_t table = entries.size() * Entry::kBytes;
  base::Bytes bytes(table + place.pages() * Entry::kRowBytes);
  std::byte* to = bytes.data();
  for (const Entry& entry : entries) {
    entry.store(to);
    to += Entry::kBytes;
  }
  const std::size_t page_bytes = place.page_entries() * Entry::kBytes;
  for (std::size_t at = 0; at < table; at += page_bytes) {
    Entry::store_key(Entry::load(&bytes[at]).key(), to);
    base::store_le(to + Entry::kRowBytes - sizeof(std::uint64_t),
                   XXH3_64bits(&bytes[at], std::min(page_bytes, table - at)));
    to += Entry::kRowBytes;
  }
  place.check = XXH3_64bits(&bytes[table], bytes.size() - table);
  return bytes;
}

template <typename Entry>
Run<Entry>::Run(const RunPlace& place, const RunBounds& bounds)
    : place_(place),
      bounds_(bounds),
      page_entries_(place.page_entries()),
      pages_(place.pages()),
      states_(pages_) {}

template <typename Entry>
bool Run<Entry>::has_table(base::ByteView file) const noexcept {
  State state = table_.load(std::memory_order_relaxed);
  if (state == unknown) {
    const std::uint64_t check = XXH3_64bits(row(file, 0), pages_ * Entry::kRowBytes);
    state = check == place_.check ? sound : damaged;
    table_.store(state, std::memory_order_relaxed);
  }
  return state == sound;
}

template <typename Entry>
std::optional<typename Entry::Key> Run<Entry>::first_key(base::ByteView file) const noexcept {
  if (!has_table(file)) return std::nullopt;
  return first_key(file, 0);
}

template <typename Entry>
const std::byte* Run<Entry>::row(base::ByteView file, std::uint64_t page) const noexcept {
  return &file[place_.begin + place_.entries * Entry::kBytes + page * Entry::kRowBytes];
}

template <typename Entry>
typename Entry::Key Run<Entry>::first_key(base::ByteView file, std::uint64_t page) const noexcept {
  return Entry::load_key(row(file, page));
}

template <typename Entry>
std::uint64_t Run<Entry>::page_of(base::ByteView file, const Key& key) const noexcept {
  std::uint64_t low = 0;
  for (std::uint64_t high = pages_; low < high;) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (first_key(file, middle) <= key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low == 0 ? pages_ : low - 1;
}

template <typename Entry>
base::ByteView Run<Entry>::page(base::ByteView file, std::uint64_t number) const noexcept {
  const std::uint64_t first = number * page_entries_;
  const std::uint64_t entries = std::min(page_entries_, place_.entries - first);
  const base::ByteView found =
      file.subspan(place_.begin + first * Entry::kBytes, entries * Entry::kBytes);
  State state = states_[number].load(std::memory_order_relaxed);
  if (state == unknown) {
    state = is_sound(file, found, number) ? sound : damaged;
    states_[number].store(state, std::memory_order_relaxed);
  }
  return state == sound ? found : base::ByteView{};
}

template <typename Entry>
bool Run<Entry>::is_sound(base::ByteView file, base::ByteView page,
                          std::uint64_t number) const noexcept {
  if (XXH3_64bits(page.data(), page.size()) !=
      base::load_le<std::uint64_t>(row(file, number + 1) - sizeof(std::uint64_t))) {
    return false;
  }
  if (entry_at<Entry>(page, 0).key() != first_key(file, number)) return false;
  const std::size_t entries = page.size() / Entry::kBytes;
  for (std::size_t i = 0; i < entries; ++i) {
    const Entry entry = entry_at<Entry>(page, i);
    if (!entry.is_within(bounds_, place_.begin)) return false;
    if (i != 0 && !(entry_at<Entry>(page, i - 1).key() < entry.key())) return false;
  }
  return number + 1 == pages_ ||
         entry_at<Entry>(page, entries - 1).key() < first_key(file, number + 1);
}

template <typename Entry>
Outcome Run<Entry>::find(base::ByteView file, const Key& key, Entry& entry) const noexcept {
  if (!has_table(file)) return Outcome::damaged;
  const std::uint64_t number = page_of(file, key);
  if (number == pages_) return Outcome::absent;
  const base::ByteView found = page(file, number);
  if (found.empty()) return Outcome::damaged;
  const std::size_t index = lower_bound<Entry>(found, key);
  if (index == found.size() / Entry::kBytes) return Outcome::absent;
  entry = entry_at<Entry>(found, index);
  return entry.key() == key ? Outcome::found : Outcome::absent;
}

template <typename Entry>
bool Run<Entry>::visit(base::ByteView file, const Key& begin,
                       const std::function<bool(const Entry&)>& visit) const {
  if (!has_table(file)) return false;
  std::uint64_t number = page_of(file, begin);
  if (number == pages_) number = 0;  // all of them are above
  for (; number < pages_; ++number) {
    const base::ByteView found = page(file, number);
    if (found.empty()) return false;
    const std::size_t entries = found.size() / Entry::kBytes;
    for (std::size_t i = lower_bound<Entry>(found, begin); i < entries; ++i) {
      if (!visit(entry_at<Entry>(found, i))) return true;
    }
  }
  return true;
}

template base::Bytes encode_run(std::span<const UpdateEntry> entries, RunPlace& place);
template base::Bytes encode_run(std::span<const AddedEntry> entries, RunPlace& place);
template class Run<UpdateEntry>;
template class Run<AddedEntry>;

}  // namespace crivo::records
