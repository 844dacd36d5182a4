// SPDX-License-Identifier: Apache-2.0
#include "base/bytes.hpp"

#include <algorithm>
#include <string>

#include "base/arithmetic.hpp"
#include "base/page_checks.hpp"
#include "crivo/error.hpp"

namespace crivo::base {

ByteView FieldReader::take(std::uint64_t count) {
  if (count > remaining()) fail("ends before its last field");
  const ByteView taken = bytes_.subspan(position_, count);
  position_ += count;
  return taken;
}

FieldReader::FieldReader(const CheckedBytes& bytes, std::string_view what)
    : bytes_(bytes.bytes), checks_(bytes.checks), what_(what) {}

ByteView FieldReader::take_touched(std::uint64_t count) {
  const ByteView taken = take(count);
  if (!CheckedBytes(taken, checks_).touch()) fail("damaged: a page of 4096 bytes fails its sum");
  return taken;
}

void FieldReader::zeros(std::uint64_t count) {
  const ByteView reserved = take_touched(count);
  if (std::ranges::any_of(reserved, [](std::byte b) { return b != std::byte{0}; })) {
    fail("holds a nonzero reserved byte");
  }
}

void FieldReader::skip_to(std::uint64_t unit) {
  take(base::align_up(position_, unit) - position_);
}

void FieldReader::align(std::uint64_t unit) {
  zeros(base::align_up(position_, unit) - position_);
}

void FieldReader::expect_end() const {
  if (remaining() != 0) fail("holds more bytes than its fields");
}

void FieldReader::fail(std::string_view problem) const {
  throw Error(ErrorKind::corrupt, std::string(what_) + ": " + std::string(problem));
}

}  // namespace crivo::base
