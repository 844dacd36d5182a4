// SPDX-License-Identifier: Apache-2.0
#include "input/unit_framing.hpp"

#include "crivo/error.hpp"
#include "input/line_fields.hpp"

namespace crivo::input {

namespace {

/// The longest pair of key and record, and the longest line that a key is cut out of.
constexpr std::uint64_t kMaxPair = kMaxKeyBytes + 1 + kMaxRecordBytes;

}  // namespace

void check_framing(const Sources& sources, const UnitFraming& framing) {
  if (framing.counted == (sources.source != nullptr)) return;
  throw Error(ErrorKind::usage, "keys are counted if, and only if, they come from a KeySource");
}

UnitFraming UnitFraming::of_keys(const KeyFormat& format) {
  switch (format.framing) {
    case KeyFormat::Framing::lines:
      // A CR that will be stripped may stand after a key of the full length.
      return {'\n',
              1,
              0,
              (has_fields(format) ? kMaxPair : kMaxKeyBytes) + (format.strip_cr ? 1 : 0),
              format.strip_cr,
              format.skip_header};
    case KeyFormat::Framing::null:
      return {'\0', 1, 0, has_fields(format) ? kMaxPair : kMaxKeyBytes};
    case KeyFormat::Framing::counted:
      if (has_fields(format)) {
        throw Error(ErrorKind::usage, "keys of a KeySource have neither columns nor digits");
      }
      return {.delimiter = {}, .counted = true};
    case KeyFormat::Framing::fixed:
      break;
  }
  if (format.width == 0 || format.width > kMaxKeyBytes) {
    throw Error(ErrorKind::usage, "the fixed key width must be 1 to 1048576 bytes");
  }
  if (has_fields(format)) {
    throw Error(ErrorKind::usage, "keys of a fixed width have no columns or hexadecimal digits");
  }
  return {std::nullopt, 1, format.width, format.width};
}

UnitFraming UnitFraming::of_records(const KeyFormat& format) {
  switch (format.framing) {
    case KeyFormat::Framing::lines:
      return {
          '\n', 1, 0, kMaxPair + (format.strip_cr ? 1 : 0), format.strip_cr, format.skip_header};
    case KeyFormat::Framing::null:
      return {'\0', 2, 0, kMaxPair};
    case KeyFormat::Framing::counted:
      if (has_fields(format)) {
        throw Error(ErrorKind::usage, "keys of a KeySource have neither columns nor digits");
      }
      return {.delimiter = {}, .delimiters = 2, .counted = true};
    case KeyFormat::Framing::fixed:
      break;
  }
  throw Error(ErrorKind::usage,
              "keys with records or values are lines or NUL-separated, not of fixed width");
}

}  // namespace crivo::input
