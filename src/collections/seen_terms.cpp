// SPDX-License-Identifier: Apache-2.0
#include "collections/seen_terms.hpp"

#include <functional>

namespace crivo::extract {
namespace {

constexpr std::size_t kFewSlots = std::size_t{1} << 14;

}  // namespace

SeenTerms::Add SeenTerms::add(std::string_view term) {
  if (2 * (terms_ + 1) > slots_.size()) grow();
  const std::uint64_t hash = std::hash<std::string_view>()(term);
  Slot& slot = find(hash, term);
  if (slot.document == document_) return Add::known;
  if (terms_ == kMostTerms || term.size() > kMostBytes - texts_.size()) return Add::full;
  slot = {hash, texts_.size(), static_cast<std::uint32_t>(term.size()), document_};
  texts_.insert(texts_.end(), term.begin(), term.end());
  ++terms_;
  return Add::added;
}

SeenTerms::Slot& SeenTerms::find(std::uint64_t hash, std::string_view term) {
  for (std::size_t i = hash & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
    Slot& slot = slots_[i];
    if (slot.document != document_) return slot;
    if (slot.hash == hash && std::string_view(texts_.data() + slot.begin, slot.size) == term)
      return slot;
  }
}

void SeenTerms::grow() {
  std::vector<Slot> old(slots_.empty() ? kFewSlots : 2 * slots_.size());
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.document != document_) continue;
    find(slot.hash, {texts_.data() + slot.begin, slot.size}) = slot;
  }
}

void SeenTerms::end_document() {
  texts_.clear();
  terms_ = 0;
  ++document_;
  // Few terms in a large table would each be a miss of the caches.
  if (slots_.size() <= kFewSlots && document_ != 0) return;
  slots_.assign(kFewSlots, {});
  document_ = 1;
}

}  // namespace crivo::extract
