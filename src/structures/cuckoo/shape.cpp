// SPDX-License-Identifier: Apache-2.0
#include "structures/cuckoo/shape.hpp"

#include <algorithm>
#include <array>

#include "structures/bits/bit_fields.hpp"

namespace crivo::filter::cuckoo {
namespace {

constexpr std::uint64_t kEndBytes = 16;  ///< of a section, behind the stash
constexpr unsigned kMaxSegmentBits = 40;
constexpr std::uint64_t kMaxSegmentBuckets = std::uint64_t{1} << 17;

const Alphabet* find_alphabet(unsigned symbols) noexcept {
  const auto* found = std::ranges::find(kAlphabets, symbols, &Alphabet::symbols);
  return found != kAlphabets.end() ? found : nullptr;
}

/// No constant expression: as a constant the table would be 8 KiB of each program.
SymbolTable made_table() noexcept {
  SymbolTable table{};
  std::array<std::uint32_t, kSlots> s{};
  for (s[3] = 0; s[3] < 16; ++s[3]) {
    for (s[2] = 0; s[2] <= s[3]; ++s[2]) {
      for (s[1] = 0; s[1] <= s[2]; ++s[1]) {
        for (s[0] = 0; s[0] <= s[1]; ++s[0]) {
          table.symbols[symbol_code(s)] =
              static_cast<std::uint16_t>(s[0] | s[1] << 4 | s[2] << 8 | s[3] << 12);
        }
      }
    }
  }
  return table;
}

}  // namespace

unsigned Fingerprints::code_bits() const noexcept {
  return find_alphabet(symbols)->code_bits;
}

bool Fingerprints::valid() const noexcept {
  const Alphabet* alphabet = find_alphabet(symbols);
  return alphabet != nullptr && low_bits <= alphabet->max_low_bits &&
         (symbols != 1 || low_bits >= 2);
}

double Header::fpr() const noexcept {
  return static_cast<double>(pairs) /
         (static_cast<double>(shape.buckets()) * static_cast<double>(shape.fingerprints.largest()));
}

base::Bytes Header::encode() const {
  base::FieldWriter w;
  w.u8(static_cast<std::uint8_t>(shape.fingerprints.symbols));
  w.u8(static_cast<std::uint8_t>(shape.fingerprints.low_bits));
  w.u8(static_cast<std::uint8_t>(shape.segment_bits)).zeros(1);
  w.u32(static_cast<std::uint32_t>(shape.segment_buckets)).u64(keys).u64(capacity);
  return w.align(kHeaderBytes).take();
}

base::Bytes Header::encode_end() const {
  base::FieldWriter w;
  w.zeros(bits::kFieldPadding);
  for (const Stashed& one : stash) w.u64(one.bucket).u32(one.fingerprint).zeros(4);
  return w.u64(pairs).u64(stash.size()).take();
}

Header Header::decode(base::ByteView section) {
  base::FieldReader r(section, "filter section");
  Header header;
  Shape& shape = header.shape;
  shape.fingerprints.symbols = r.u8();
  shape.fingerprints.low_bits = r.u8();
  shape.segment_bits = r.u8();
  r.zeros(1);
  shape.segment_buckets = r.u32();
  header.keys = r.u64();
  header.capacity = r.u64();
  r.align(kHeaderBytes);
  if (!shape.fingerprints.valid()) r.fail("it has fingerprints that do not exist");
  if (shape.segment_buckets == 0 || shape.segment_buckets > kMaxSegmentBuckets ||
      shape.segment_bits > kMaxSegmentBits ||
      (shape.segment_bits != 0 && shape.segment_buckets % 8 != 0)) {
    r.fail("has no sound number of buckets");
  }
  bits::take_fields(r, shape.buckets() * shape.fingerprints.bucket_bits());
  while (r.remaining() > kEndBytes) {
    Stashed one;
    one.bucket = r.u64();
    one.fingerprint = r.u32();
    r.zeros(4);
    if (one.bucket >= shape.buckets() || one.fingerprint == 0 ||
        one.fingerprint > shape.fingerprints.largest() ||
        (!header.stash.empty() && one < header.stash.back())) {
      r.fail("its stash holds impossible entries");
    }
    header.stash.push_back(one);
  }
  header.pairs = r.u64();
  if (r.u64() != header.stash.size()) r.fail("has a stash of another size");
  r.expect_end();
  if (header.keys > shape.slots() + header.stash.size() || header.pairs > 2 * header.keys ||
      (header.pairs == 0) != (header.keys == 0) || header.fpr() > 1) {
    r.fail("has numbers of keys that do not agree");
  }
  return header;
}

const SymbolTable& symbol_table() noexcept {
  static const SymbolTable kTable = made_table();
  return kTable;
}

}  // namespace crivo::filter::cuckoo
