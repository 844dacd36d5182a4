// SPDX-License-Identifier: Apache-2.0
#include "input/input_spool.hpp"

#include <algorithm>

#include "crivo/error.hpp"

namespace crivo::input {

std::uint64_t InputSpool::add(const Chunk& chunk, std::span<const std::uint64_t> hashes,
                              std::span<const std::uint64_t> fingerprints) noexcept {
  Entry entry{chunk.start, chunk.ordinal, chunk.sequence, hashes.size(), 0, 0, 0, chunk.columns};
  // A line number that blank lines count in is found in the text alone.
  if (chunk.ordinal < kTextKeys || chunk.inner_lines != 0) entry.text_bytes = chunk.bytes.size();
  try {
    {
      const std::scoped_lock lock(mutex_);
      if (given_up_) return 0;
      const std::uint64_t before_text = hashes.size_bytes() + fingerprints.size_bytes();
      entry.hash_offset = file_.take(before_text + entry.text_bytes);
      entry.text_offset = entry.hash_offset + before_text;
      entries_.push_back(entry);
    }
    file_.write_at(entry.hash_offset, std::as_bytes(hashes));
    file_.write_at(entry.hash_offset + hashes.size_bytes(), std::as_bytes(fingerprints));
    file_.write_at(entry.text_offset, std::as_bytes(chunk.bytes).first(entry.text_bytes));
    return hashes.size_bytes() + fingerprints.size_bytes() + entry.text_bytes;
  } catch (const std::exception&) {
    const std::scoped_lock lock(mutex_);
    given_up_ = true;
    return 0;
  }
}

Chunk InputSpool::read(const Entry& entry) const {
  Chunk chunk;
  chunk.start = entry.start;
  chunk.ordinal = entry.ordinal;
  chunk.storage.resize(entry.text_bytes);
  chunk.sequence = entry.sequence;
  chunk.columns = entry.columns;
  file_.read_at(entry.text_offset, std::as_writable_bytes(std::span(chunk.storage)));
  chunk.bytes = chunk.storage;
  return chunk;
}

bool InputSpool::for_each_fingerprint(
    const std::function<void(std::span<const std::uint64_t>, std::span<const std::uint64_t>)>&
        visit) const {
  if (given_up_) return false;
  std::vector<std::uint64_t> both;
  for (const Entry& entry : entries_) {
    both.resize(2 * entry.keys);
    file_.read_at(entry.hash_offset, std::as_writable_bytes(std::span(both)));
    visit(std::span(both).first(entry.keys), std::span(both).subspan(entry.keys));
  }
  return true;
}

bool InputSpool::has_all_text() const noexcept {
  return !given_up_ &&
         std::ranges::all_of(entries_, [](const Entry& entry) { return entry.text_bytes != 0; });
}

void InputSpool::for_each_chunk(const std::function<void(const Chunk&)>& visit) {
  std::ranges::sort(entries_, {}, &Entry::ordinal);
  for (const Entry& entry : entries_) visit(read(entry));
}

bool InputSpool::replay(const ParseKeys& parse, const KeyVisitor& visit) {
  if (given_up_) return false;
  std::ranges::sort(entries_, {}, &Entry::ordinal);
  std::vector<std::uint64_t> hashes;
  for (const Entry& entry : entries_) {
    hashes.resize(entry.keys);
    file_.read_at(entry.hash_offset, std::as_writable_bytes(std::span(hashes)));
    bool go_on = true;
    if (entry.text_bytes == 0) {
      for (std::uint64_t i = 0; i < entry.keys && go_on; ++i) {
        go_on = visit(hashes[i], {entry.start.file, 0, entry.start.line + i}, nullptr);
      }
    } else {
      const Chunk chunk = read(entry);
      parse(chunk, [&](std::string_view key, std::uint64_t i, std::size_t offset) {
        if (go_on) go_on = visit(hashes[i], place_in(chunk, i, offset), &key);
      });
    }
    if (!go_on) break;
  }
  return true;
}

}  // namespace crivo::input
