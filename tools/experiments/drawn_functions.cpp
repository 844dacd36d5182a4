// SPDX-License-Identifier: Apache-2.0
#include "experiments/drawn_functions.hpp"

#include <bit>

#include "base/arithmetic.hpp"

namespace crivo::experiments {
namespace {

constexpr std::size_t kAlphabet = 256;

/// What the document's `char` holds: signed, on its machine and on most.
std::uint32_t signed_byte(std::string_view key, std::size_t i) noexcept {
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<signed char>(key[i])));
}
std::uint32_t byte(std::string_view key, std::size_t i) noexcept {
  return static_cast<unsigned char>(key[i]);
}

/// Figure 2.6.
void shuffle(std::uint32_t& a, std::uint32_t& b, std::uint32_t& c) noexcept {
  a = (a - b - c) ^ c >> 13;
  b = (b - c - a) ^ a << 8;
  c = (c - a - b) ^ b >> 13;
  a = (a - b - c) ^ c >> 12;
  b = (b - c - a) ^ a << 16;
  c = (c - a - b) ^ b >> 5;
  a = (a - b - c) ^ c >> 3;
  b = (b - c - a) ^ a << 10;
  c = (c - a - b) ^ b >> 15;
}

}  // namespace

DrawnFunction::DrawnFunction(DrawnKind kind, std::uint32_t m, std::size_t longest,
                             std::uint64_t seed)
    : kind_(kind), m_(m) {
  std::uint64_t state = seed;
  const auto draw = [&] {  // rand()
    state += 0x9e3779b97f4a7c15U;
    return static_cast<std::uint32_t>(base::mix64(state) >> 33);
  };
  if (kind == DrawnKind::hj) {
    initial_ = draw();
    return;
  }
  const bool by_place = kind == DrawnKind::hu64 || kind == DrawnKind::hu32;
  weights_.resize(by_place ? longest : longest * kAlphabet);
  for (std::uint32_t& weight : weights_) {
    weight = static_cast<std::uint32_t>(std::uint64_t{m} * draw() >> 31);
  }
}

std::uint32_t DrawnFunction::operator()(std::string_view key) const noexcept {
  std::uint64_t sum = 0;
  switch (kind_) {
    case DrawnKind::hu64:
    case DrawnKind::hu32:
      for (std::size_t i = 0; i < key.size(); ++i) sum += std::uint32_t{byte(key, i) * weights_[i]};
      break;
    case DrawnKind::hz64:
    case DrawnKind::hz32:
      for (std::size_t i = 0; i < key.size(); ++i) sum += weights_[i * kAlphabet + byte(key, i)];
      break;
    case DrawnKind::hj:
      return jenkins(key);
  }
  if (kind_ == DrawnKind::hu32 || kind_ == DrawnKind::hz32) sum = static_cast<std::uint32_t>(sum);
  return static_cast<std::uint32_t>(sum % m_);
}

void DrawnFunction::count(std::string_view key, Overflows& overflows) const noexcept {
  if (kind_ == DrawnKind::hj) return;  // it is meant to be modulo 2^32
  const bool by_place = kind_ == DrawnKind::hu64 || kind_ == DrawnKind::hu32;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const std::uint64_t product = by_place ? std::uint64_t{byte(key, i)} * weights_[i]
                                           : std::uint64_t{weights_[i * kAlphabet + byte(key, i)]};
    overflows.products += product > UINT32_MAX ? 1 : 0;
    sum += product;
  }
  overflows.sums += sum > UINT32_MAX ? 1 : 0;
}

/// Figure 2.7.
std::uint32_t DrawnFunction::jenkins(std::string_view key) const noexcept {
  std::uint32_t a = 0x9e3779b9U;
  std::uint32_t b = a;
  std::uint32_t c = initial_;
  const std::size_t length = key.size();
  const auto word = [&](std::size_t at) {
    return signed_byte(key, at) + (signed_byte(key, at + 1) << 8) +
           (signed_byte(key, at + 2) << 16) + (signed_byte(key, at + 3) << 24);
  };
  std::size_t at = 0;
  for (; length - at >= 12; at += 12) {
    a += word(at);
    b += word(at + 4);
    c += word(at + 8);
    shuffle(a, b, c);
  }
  c += static_cast<std::uint32_t>(length);
  const auto rest = [&](std::size_t from, std::size_t to, unsigned shift) {
    std::uint32_t sum = 0;
    for (std::size_t i = from; i < to && at + i < length; ++i) {
      sum += signed_byte(key, at + i) << (8 * (i - from) + shift);
    }
    return sum;
  };
  a += rest(0, 4, 0);
  b += rest(4, 8, 0);
  c += rest(8, 11, 8);  // its lowest byte is the length's
  shuffle(a, b, c);
  const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << std::bit_width(m_ - 1)) - 1);
  c &= mask;
  return c >= m_ ? c ^ m_ : c;
}

}  // namespace crivo::experiments
