// SPDX-License-Identifier: Apache-2.0
#include "structures/csf/code_ribbon.hpp"

#include <immintrin.h>

#include "base/bytes.hpp"
#include "base/cpu.hpp"
#include "structures/csf/section.hpp"
#include "structures/ribbon/kernels.hpp"

namespace crivo::csf {
namespace {

/// Where a key is looked up that no layer holds.
constexpr std::array<std::byte, 24> kNoSlots{};

}  // namespace

CodeRibbon::CodeRibbon(const Shape& shape)
    : read_bits_(read_bits()), shape_(shape), thresholds_(thresholds(shape.bucket_bits)) {}

void CodeRibbon::add(base::FieldReader& table, base::FieldReader& bodies) {
  pages_ = base::Pages(bodies.checks());
  for (std::uint64_t slice = 0; slice < std::uint64_t{1} << shape_.slice_bits; ++slice) {
    auto& layers = slices_.emplace_back();
    for (Layer& layer : layers) {
      const std::uint64_t slots = std::uint64_t{64} * table.u32();
      if (slots != 0 && slots < shape_.least_slots()) {
        table.fail("has a layer of a size that none can have");
      }
      if (slots / 8 > bodies.remaining()) table.fail("has a layer past its ribbon's end");
      layer.starts = shape_.starts(slots);
      layer.slots = bodies.take(slots / 8).data();
    }
    for (Layer& layer : layers) {
      layer.thresholds = bodies.take(shape_.threshold_bytes(layer.starts)).data();
    }
    bodies.skip_to(8);
  }
}

Place CodeRibbon::find(const LocalKey& local) const noexcept {
  const std::uint64_t slice = (std::uint64_t{local.partition} << shape_.slice_bits) |
                              base::top_bits(local.hash.hi, shape_.slice_bits);
  Hash128 key = ribbon::first_layer(local.hash, shape_.slice_bits);
  for (const Layer& layer : slices_[slice]) {
    if (layer.starts != 0) {
      const std::uint64_t start = ribbon::row_start(key, layer.starts);
      const std::uint64_t bucket = start >> shape_.bucket_bits;
      pages_.touch(layer.thresholds + bucket / 4, 1);
      const auto four = std::to_integer<unsigned>(layer.thresholds[bucket / 4]);
      const unsigned threshold = thresholds_[(four >> (bucket % 4 * 2)) & 3];
      if (start - (bucket << shape_.bucket_bits) >= threshold) {
        pages_.touch(layer.slots + start / 8, kNoSlots.size());
        return {layer.slots + start / 8, static_cast<unsigned>(start % 8), coefficients(key)};
      }
    }
    key = ribbon::next_layer(key);
  }
  return {kNoSlots.data(), 0, {0, 0}};
}

void CodeRibbon::bits(std::span<const LocalKey> keys, std::uint32_t* results) const noexcept {
  if (keys.empty()) return;
  std::array<Place, kBatch> places;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    places[i] = find(keys[i]);
    __builtin_prefetch(places[i].bytes);
    __builtin_prefetch(places[i].bytes + 23);
  }
  read_bits_(places.data(), keys.size(), results);
}

}  // namespace crivo::csf

#if defined(__x86_64__)
#endif

namespace crivo::csf {
namespace {

/// The 185 slots from a place, and zeros.
struct Window {
  std::uint64_t words[3];
};

[[gnu::always_inline]] inline Window window(const Place& place) noexcept {
  const auto a = base::load_le<std::uint64_t>(place.bytes);
  const auto b = base::load_le<std::uint64_t>(place.bytes + 8);
  const auto c = base::load_le<std::uint64_t>(place.bytes + 16);
  const unsigned left = 63 - place.shift;
  return {
      {a >> place.shift | (b << 1) << left, b >> place.shift | (c << 1) << left, c >> place.shift}};
}

}  // namespace

void read_bits_portable(const Place* places, std::size_t count, std::uint32_t* bits) {
  for (std::size_t i = 0; i < count; ++i) {
    const Window slots = window(places[i]);
    const std::uint64_t first = reversed(places[i].coefficients.first);
    const std::uint64_t second = reversed(places[i].coefficients.second);
    std::uint64_t result = 0;
    for (unsigned group = 0; group < 32; group += 8) {
      std::uint64_t words[8];
      for (unsigned j = 0; j < 8; ++j) {
        const unsigned row = group + j;
        const auto from = [&](unsigned word) {
          return slots.words[word] >> row | (slots.words[word + 1] << 1) << (63 - row);
        };
        words[j] = (from(0) & first) ^ (from(1) & second);
      }
      result |= ribbon::parities(words) << group;
    }
    bits[i] = static_cast<std::uint32_t>(result);
  }
}

#if defined(__x86_64__)

// As polynomials: the sum for row t, of coefficient j times slot t + j, is coefficient 63 + t of
// the product of 64 coefficients, highest first, and the slots. Two words of coefficients meet two
// words of slots each; what the second product adds to stands 64 higher.
[[gnu::target("pclmul")]] void read_bits_product(const Place* places, std::size_t count,
                                                 std::uint32_t* bits) {
  const auto word = [](std::uint64_t value) {
    return _mm_cvtsi64_si128(static_cast<long long>(value));
  };
  const auto low = [](__m128i product) {
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(product));
  };
  for (std::size_t i = 0; i < count; ++i) {
    const Window slots = window(places[i]);
    const __m128i coefficients =
        _mm_unpacklo_epi64(word(places[i].coefficients.first), word(places[i].coefficients.second));
    const __m128i lower = _mm_unpacklo_epi64(word(slots.words[0]), word(slots.words[1]));
    const __m128i upper = _mm_unpacklo_epi64(word(slots.words[1]), word(slots.words[2]));
    const __m128i here = _mm_xor_si128(_mm_clmulepi64_si128(coefficients, lower, 0x00),
                                       _mm_clmulepi64_si128(coefficients, upper, 0x01));
    const __m128i beyond = _mm_xor_si128(_mm_clmulepi64_si128(coefficients, lower, 0x10),
                                         _mm_clmulepi64_si128(coefficients, upper, 0x11));
    bits[i] = static_cast<std::uint32_t>(low(here) >> 63 |
                                         (low(_mm_unpackhi_epi64(here, here)) ^ low(beyond)) << 1);
  }
}

#endif

ReadBits read_bits() {
#if defined(__x86_64__)
  if (base::cpu() >= base::Cpu::avx2 && __builtin_cpu_supports("pclmul")) return read_bits_product;
#endif
  return read_bits_portable;
}

}  // namespace crivo::csf
