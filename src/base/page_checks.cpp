// SPDX-License-Identifier: Apache-2.0
#include "base/page_checks.hpp"

namespace crivo::base {
namespace {

thread_local std::uint64_t damage_touched = 0;

constinit const std::atomic<bool> kNoDamage{false};

}  // namespace

PageChecks::PageChecks(ByteView bytes, Where where)
    : begin_(bytes.data()),
      words_((bytes.size() >> kPageBits) / 64 + 1),
      compared_(std::make_unique<Word[]>(words_)),
      reading_(where == Where::in_file ? std::make_unique<std::mutex>() : nullptr) {}

PageChecks::~PageChecks() = default;

std::uint64_t PageChecks::touched_damage() noexcept {
  return damage_touched;
}

const std::atomic<bool>& Pages::damage() const noexcept {
  return checks_ == nullptr ? kNoDamage : checks_->damage();
}

void PageChecks::forget_compared() noexcept {
  for (std::uint64_t i = 0; i < words_; ++i) compared_[i].store(0, std::memory_order_relaxed);
}

bool PageChecks::compare(std::uint64_t first, std::uint64_t last, ByteView touched) const noexcept {
  for (std::uint64_t page = first; page <= last; ++page) {
    if (is_compared(page)) continue;
    std::unique_lock<std::mutex> reading;
    if (reading_ != nullptr) reading = std::unique_lock(*reading_);
    if (reading.owns_lock() && is_compared(page)) continue;  // by another thread meanwhile
    if (!is_sound(page)) {
      if (are_sound(touched)) return true;
      found_damage_.store(true, std::memory_order_relaxed);
      ++damage_touched;
      return false;
    }
    compared_[page / 64].fetch_or(std::uint64_t{1} << (page % 64), std::memory_order_release);
  }
  return true;
}

}  // namespace crivo::base
