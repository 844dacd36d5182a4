// SPDX-License-Identifier: Apache-2.0
/// Writing units (records/unit.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.hpp"
#include "hashing/crc32c.hpp"
#include "records/build/encoding.hpp"
#include "records/unit.hpp"

namespace crivo::records {

/// Writes units; one a thread.
class UnitWriter {
 public:
  explicit UnitWriter(const Encoding& encoding);

  /// Appends the unit of these raw bytes to `stored`; `x` as above. The records are within the
  /// limits. Throws Error(io).
  void append(std::uint64_t first_rank, std::uint32_t x, base::ByteView raw, base::Bytes& stored);
  /// The same without the check.
  void append_unchecked(std::uint32_t x, base::ByteView raw, base::Bytes& stored);
  /// Whether units may be other than raw.
  bool encodes() const noexcept { return encoder_ != nullptr; }
  /// Sets the check, with which it begins, of a unit that is else whole.
  void set_check(std::span<std::byte> unit, std::uint64_t first_rank) const noexcept;

 private:
  hashing::Crc32c check_of_;
  std::unique_ptr<Encoder> encoder_;
};

}  // namespace crivo::records
