// SPDX-License-Identifier: Apache-2.0
#include "base/spool.hpp"

#include <algorithm>
#include <utility>

namespace crivo::base {

void Spool::append(ByteView bytes) {
  while (!bytes.empty()) {
    if (held_.empty() || held_.back().size() == kBlockBytes) {
      if (scratch_ != nullptr && held_bytes_ + kBlockBytes > scratch_->memory_bytes()) spill();
      Bytes block;
      if (size() != 0) block.reserve(kBlockBytes);
      held_.push_back(std::move(block));
    }
    Bytes& block = held_.back();
    const ByteView some = bytes.first(std::min(bytes.size(), kBlockBytes - block.size()));
    block.insert(block.end(), some.begin(), some.end());
    held_bytes_ += some.size();
    bytes = bytes.subspan(some.size());
  }
}

/// All that is held, which is whole blocks.
void Spool::spill() {
  if (held_.empty()) return;
  if (file_ == nullptr) file_ = std::make_unique<TempFile>(scratch_->directory());
  for (const Bytes& block : held_) file_->append(block);
  scratch_->note_spilled(held_bytes_);
  held_.clear();
  held_bytes_ = 0;
}

void Spool::read(std::uint64_t offset, std::span<std::byte> to) const {
  const std::uint64_t in_file = spilled();
  const std::uint64_t from_file =
      std::min<std::uint64_t>(in_file - std::min(offset, in_file), to.size());
  if (from_file != 0) file_->read_at(offset, to.first(from_file));
  to = to.subspan(from_file);
  for (std::uint64_t at = offset + from_file - in_file; !to.empty();) {
    const Bytes& block = held_[at / kBlockBytes];
    const std::uint64_t begin = at % kBlockBytes;
    const std::size_t some = std::min<std::size_t>(block.size() - begin, to.size());
    std::copy_n(block.begin() + static_cast<std::ptrdiff_t>(begin), some, to.begin());
    to = to.subspan(some);
    at += some;
  }
}

void Spool::for_each(const std::function<void(ByteView)>& use) const {
  const std::uint64_t in_file = spilled();
  Bytes block(in_file == 0 ? 0 : kBlockBytes);
  for (std::uint64_t at = 0; at != in_file; at += block.size()) {
    file_->read_at(at, block);
    use(block);
  }
  for (const Bytes& held : held_) use(held);
}

}  // namespace crivo::base
