// SPDX-License-Identifier: Apache-2.0
#include "base/page_checks.hpp"

namespace crivo::base {
namespace {

thread_local std::uint64_t damage_touched = 0;

constinit const std::atomic<bool> kNoDamage{false};

}  // namespace

PageChecks::PageChecks(ByteView bytes)
    : begin_(bytes.data()),
      compared_(std::make_unique<Word[]>((bytes.size() >> kPageBits) / 64 + 1)) {}

PageChecks::~PageChecks() = default;

std::uint64_t PageChecks::touched_damage() noexcept {
  return damage_touched;
}

const std::atomic<bool>& Pages::damage() const noexcept {
  return checks_ == nullptr ? kNoDamage : checks_->damage();
}

bool PageChecks::compare(std::uint64_t first, std::uint64_t last) const noexcept {
  for (std::uint64_t page = first; page <= last; ++page) {
    if (is_compared(page)) continue;
    if (!is_sound(page)) {
      found_damage_.store(true, std::memory_order_relaxed);
      ++damage_touched;
      return false;
    }
    compared_[page / 64].fetch_or(std::uint64_t{1} << (page % 64), std::memory_order_relaxed);
  }
  return true;
}

}  // namespace crivo::base
