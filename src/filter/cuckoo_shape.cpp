#include "filter/cuckoo_shape.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "crivo/error.hpp"
#include "file/bit_fields.hpp"
#include "filter/filter_file.hpp"

namespace crivo::filter::cuckoo {
namespace {

constexpr std::uint64_t kMaxKeys = std::uint64_t{1} << 40;
constexpr std::uint64_t kMaxSegments = std::uint64_t{1} << 40;
constexpr std::uint64_t kMaxSegmentBuckets = std::uint64_t{1} << 17;

/// The alphabets of semi-sorted buckets, and the bits of the C(symbols + 3, 4) multisets: of all
/// sizes up to 16, those that waste the least of their last bit.
struct Alphabet {
  unsigned symbols;
  unsigned code_bits;
  unsigned max_low_bits;  ///< a bucket ends within 128 bits of the start of its first byte
};
constexpr std::array<Alphabet, 5> kAlphabets{
    {{1, 0, 32}, {9, 9, 28}, {11, 10, 27}, {13, 11, 27}, {16, 12, 28}}};

const Alphabet* find_alphabet(unsigned symbols) noexcept {
  const auto* found = std::ranges::find(kAlphabets, symbols, &Alphabet::symbols);
  return found != kAlphabets.end() ? found : nullptr;
}

/// The highest load at which so many keys find room: less than kLoad where there are few
/// fingerprints, as more than two buckets of keys with one fingerprint have nowhere to go. A pair
/// of buckets has a Poisson number of keys of a fingerprint.
double load_for(Fingerprints fingerprints, double keys) {
  constexpr double kFailures = 0.01;  // expected
  const auto largest = static_cast<double>(fingerprints.largest());
  double load = kLoad;
  while (true) {
    const double mean = 2 * kSlots * load / largest;
    double chance = std::exp(-mean);  // of so many keys or more, beginning with nine
    for (int k = 1; k <= 9; ++k) chance *= mean / k;
    double more = chance;
    for (int k = 10; k < 200; ++k) more += chance *= mean / k;
    const double pairs = keys / (kSlots * load) * largest / 2;
    if (pairs * more <= kFailures) return load;
    load *= 0.97;
  }
}

std::uint64_t buckets_for(Fingerprints fingerprints, std::uint64_t keys, double fpr) {
  const auto count = static_cast<double>(keys);
  double buckets = count / (kSlots * load_for(fingerprints, count));
  if (fpr < 1) {
    buckets = std::max(
        buckets, 2 * count / (-std::log1p(-fpr) * static_cast<double>(fingerprints.largest())));
  }
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(buckets)));
}

Fingerprints of_bits(double asked, bool semi_sorted) {
  const double least = semi_sorted ? 4 : 2;
  if (!(asked >= least && asked <= 32) || asked != std::floor(asked)) {
    throw Error(ErrorKind::usage, semi_sorted
                                      ? "cuckoo filters with semi-sorted buckets have fingerprints "
                                        "of 4 to 32 bits"
                                      : "cuckoo filters have fingerprints of 2 to 32 bits");
  }
  const auto bits = static_cast<unsigned>(asked);
  return semi_sorted ? Fingerprints{16, bits - 4} : Fingerprints{1, bits};
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

std::uint64_t Shape::bytes() const noexcept {
  return util::div_ceil(buckets() * fingerprints.bucket_bits(), 8);
}

double Header::fpr() const noexcept {
  return static_cast<double>(pairs) /
         (static_cast<double>(shape.buckets()) * static_cast<double>(shape.fingerprints.largest()));
}

file::Bytes Header::encode() const {
  file::FieldWriter w;
  w.u8(static_cast<std::uint8_t>(shape.fingerprints.symbols));
  w.u8(static_cast<std::uint8_t>(shape.fingerprints.low_bits)).zeros(2);
  w.u32(static_cast<std::uint32_t>(shape.segment_buckets)).u64(keys).u64(shape.segments);
  w.u64(pairs).u64(capacity).zeros(24);
  return w.take();
}

Header Header::decode(file::ByteView section) {
  file::FieldReader r(section, "filter section");
  Header header;
  header.shape.fingerprints.symbols = r.u8();
  header.shape.fingerprints.low_bits = r.u8();
  r.zeros(2);
  header.shape.segment_buckets = r.u32();
  header.keys = r.u64();
  header.shape.segments = r.u64();
  header.pairs = r.u64();
  header.capacity = r.u64();
  r.zeros(24);
  if (!header.shape.fingerprints.valid()) r.fail("has fingerprints that there are not");
  if (header.shape.segment_buckets == 0 || header.shape.segment_buckets > kMaxSegmentBuckets ||
      header.shape.segments == 0 || header.shape.segments > kMaxSegments) {
    r.fail("has no sound number of buckets");
  }
  if (header.keys > header.shape.slots() || header.pairs > 2 * header.keys ||
      (header.pairs == 0) != (header.keys == 0) || header.fpr() > 1) {
    r.fail("has numbers of keys that do not agree");
  }
  r.take(header.shape.bytes());
  r.zeros(file::kFieldPadding);
  r.expect_end();
  return header;
}

Shape make_shape(Fingerprints fingerprints, std::uint64_t buckets) {
  const std::uint64_t segments = std::max<std::uint64_t>(1, buckets / kSegmentBuckets);
  std::uint64_t segment_buckets = util::div_ceil(buckets, segments);
  if (segments > 1) segment_buckets = util::align_up(segment_buckets, 8);  // so each ends a byte
  return {fingerprints, segments, segment_buckets};
}

Shape choose_shape(std::uint64_t n, const FilterOptions& options) {
  const std::uint64_t keys = std::max(n, options.capacity);
  if (keys > kMaxKeys) {
    throw Error(ErrorKind::usage, "cuckoo filters have room for at most 2^40 keys");
  }
  if (options.bits) {
    const Fingerprints asked = of_bits(*options.bits, options.semi_sorted);
    return make_shape(asked, buckets_for(asked, keys, 1));
  }
  const double fpr = asked_fpr(options);
  Shape best;
  double best_bits = std::numeric_limits<double>::infinity();
  for (const Alphabet& alphabet : kAlphabets) {
    for (unsigned low = 0; low <= alphabet.max_low_bits; ++low) {
      const Fingerprints tried{alphabet.symbols, low};
      if (tried.semi_sorted() != options.semi_sorted || !tried.valid()) continue;
      const std::uint64_t buckets = buckets_for(tried, keys, fpr);
      const double bits = static_cast<double>(buckets) * tried.bucket_bits();
      if (bits >= best_bits) continue;
      best_bits = bits;
      best = make_shape(tried, buckets);
    }
  }
  return best;
}

double expected_fpr(const Shape& shape, std::uint64_t n) noexcept {
  return -std::expm1(
      -2 * static_cast<double>(n) /
      (static_cast<double>(shape.buckets()) * static_cast<double>(shape.fingerprints.largest())));
}

std::uint64_t capacity_of(const Shape& shape, double fpr) noexcept {
  double keys = kLoad * static_cast<double>(shape.slots());
  if (fpr < 1) {
    keys = std::min(keys, -std::log1p(-fpr) / 2 * static_cast<double>(shape.buckets()) *
                              static_cast<double>(shape.fingerprints.largest()));
  }
  return static_cast<std::uint64_t>(keys);
}

}  // namespace crivo::filter::cuckoo
