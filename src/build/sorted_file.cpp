// SPDX-License-Identifier: Apache-2.0
#include "build/sorted_file.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace crivo::index {
namespace {

constexpr std::size_t kOffsetBytes = sizeof(std::uint64_t);
constexpr std::size_t kCopyBytes = std::size_t{1}
                                   << 18;  ///< bytes that are written or copied at once

}  // namespace

SortedFile::SortedFile(file::PendingFile& file, bool payload_vector,
                       const std::filesystem::path& temp_dir)
    : file_(file), payload_vector_(payload_vector), waiting_(temp_dir) {
  if (!payload_vector_) return;
  bytes_ = kOffsetBytes;  // the count is known at the end
  add_offset();
}

void SortedFile::append(std::string_view text, std::span<const std::uint32_t> sizes) {
  const base::ByteView bytes = base::as_bytes(text);
  if (!payload_vector_) {
    file_.write_at(bytes_, bytes);
    bytes_ += bytes.size();
    return;
  }
  if (!bytes.empty()) waiting_.append(bytes);
  for (const std::uint32_t size : sizes) {
    key_bytes_ += size;
    add_offset();
  }
  keys_ += sizes.size();
}

std::uint64_t SortedFile::append_repeated(const KeyText& text, std::string_view key,
                                          std::uint64_t times) {
  std::string one(text.most_bytes({1, key.size()}), '\0');
  one.resize(static_cast<std::size_t>(text.write(one.data(), key, {}, times) - one.data()));
  const std::uint64_t all = text.once() ? 1 : times;
  const std::uint64_t at_once =
      std::clamp<std::uint64_t>(kCopyBytes / std::max<std::size_t>(one.size(), 1), 1, all);
  std::string some;
  std::vector<std::uint32_t> sizes;
  for (std::uint64_t i = 0; i != at_once; ++i) {
    some += one;
    if (text.lists_sizes()) sizes.push_back(static_cast<std::uint32_t>(one.size()));
  }
  for (std::uint64_t left = all; left != 0;) {
    const std::uint64_t now = std::min(left, at_once);
    append(std::string_view(some).substr(0, now * one.size()),
           std::span(sizes).first(std::min(sizes.size(), now)));
    left -= now;
  }
  return all;
}

std::uint64_t SortedFile::finish() {
  if (!payload_vector_) return bytes_;
  flush_offsets();
  std::array<std::byte, kOffsetBytes> count{};
  base::store_le(count.data(), keys_);
  file_.write_at(0, count);
  base::Bytes some(static_cast<std::size_t>(std::min<std::uint64_t>(key_bytes_, kCopyBytes)));
  for (std::uint64_t done = 0; done != key_bytes_;) {
    const auto now =
        static_cast<std::size_t>(std::min<std::uint64_t>(key_bytes_ - done, some.size()));
    waiting_.read_at(done, std::span(some).first(now));
    file_.write_at(bytes_, std::span(some).first(now));
    bytes_ += now;
    done += now;
  }
  return bytes_;
}

/// Adds where the next key begins, or the last one ends.
void SortedFile::add_offset() {
  const std::size_t held = offsets_.size();
  offsets_.resize(held + kOffsetBytes);
  base::store_le(offsets_.data() + held, key_bytes_);
  if (offsets_.size() >= kCopyBytes) flush_offsets();
}

void SortedFile::flush_offsets() {
  file_.write_at(bytes_, offsets_);
  bytes_ += offsets_.size();
  offsets_.clear();
}

}  // namespace crivo::index
