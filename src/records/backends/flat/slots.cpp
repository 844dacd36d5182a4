// SPDX-License-Identifier: Apache-2.0
#include "records/backends/flat/slots.hpp"

#include "base/arithmetic.hpp"
#include "crivo/error.hpp"

namespace crivo::records {

Slots::Slots(const base::CheckedBytes& checked, std::uint64_t records)
    : lines_(checked.bytes.data()), pages_(checked.checks), records_(records) {
  const base::ByteView section = checked.bytes;
  if (section.size() % kSlotLineBytes != 0 ||
      section.size() / kSlotLineBytes != base::div_ceil(records, kSlotsALine)) {
    throw Error(ErrorKind::corrupt, "damaged: some of its records have no slot");
  }
  for (std::uint64_t slot = records; slot % kSlotsALine != 0; ++slot) {
    const std::byte* const ends = line_of(slot) + kEndsAt + 2 * (slot % kSlotsALine);
    if (base::load_le<std::uint16_t>(ends) != base::load_le<std::uint16_t>(ends - 2) ||
        entry(slot).is_reference || fingerprint(slot) != 0) {
      throw Error(ErrorKind::corrupt, "damaged: a slot without a record is not empty");
    }
  }
}

void SlotLine::add_unit(std::uint16_t fingerprint, base::ByteView unit) {
  entries_.insert(entries_.end(), unit.begin(), unit.end());
  add_member(fingerprint);
}

void SlotLine::add_reference(std::uint16_t fingerprint, std::uint64_t place, std::uint64_t size) {
  base::FieldWriter fields;
  fields.u64(place).u64(size);
  references_ |= std::uint64_t{1} << slots_;
  add_unit(fingerprint, fields.take());
}

void SlotLine::add_member(std::uint16_t fingerprint) {
  ends_[slots_] = static_cast<std::uint16_t>(entries_.size());
  fingerprints_[slots_] = fingerprint;
  ++slots_;
}

std::array<std::byte, kSlotLineBytes> SlotLine::finish(std::uint64_t place) noexcept {
  while (!full()) {
    ends_[slots_] = static_cast<std::uint16_t>(entries_.size());
    fingerprints_[slots_] = 0;
    ++slots_;
  }
  std::array<std::byte, kSlotLineBytes> line{};
  base::store_le(line.data(), place | references_ << Slots::kPlaceBits);
  for (std::size_t i = 0; i < kSlotsALine; ++i) {
    base::store_le(line.data() + Slots::kEndsAt + 2 * i, ends_[i]);
    base::store_le(line.data() + Slots::kFingerprintsAt + 2 * i, fingerprints_[i]);
  }
  slots_ = 0;
  references_ = 0;
  entries_.clear();
  return line;
}

}  // namespace crivo::records
