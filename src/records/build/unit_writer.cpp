// SPDX-License-Identifier: Apache-2.0
#include "records/build/unit_writer.hpp"

#include "base/varint.hpp"

namespace crivo::records {

UnitWriter::UnitWriter(const Encoding& encoding)
    : check_of_(hashing::crc32c()), encoder_(encoding.encoder()) {}

void UnitWriter::set_check(std::span<std::byte> unit, std::uint64_t first_rank) const noexcept {
  base::store_le(unit.data(), check_of_(unit.subspan(kUnitCheckSize), first_rank));
}

void UnitWriter::append(std::uint64_t first_rank, std::uint32_t x, base::ByteView raw,
                        base::Bytes& stored) {
  const std::size_t begin = stored.size();
  stored.resize(begin + kUnitCheckSize);
  append_unchecked(x, raw, stored);
  set_check(std::span(stored).subspan(begin), first_rank);
}

void UnitWriter::append_unchecked(std::uint32_t x, base::ByteView raw, base::Bytes& stored) {
  const std::size_t begin = stored.size();
  base::append_varint(stored, 2 * x + 1);
  if (encoder_ == nullptr || !encoder_->encode(raw, stored)) {
    stored.resize(begin);
    base::append_varint(stored, 2 * x);
    stored.insert(stored.end(), raw.begin(), raw.end());
  }
}

}  // namespace crivo::records
