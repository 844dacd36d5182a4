// SPDX-License-Identifier: Apache-2.0
#include "hashing/siphash.hpp"

#include <bit>

#include "base/bytes.hpp"
#include "base/system_random.hpp"

namespace crivo::hashing {
namespace {

/// The four words that the text is stirred into.
class SipState {
 public:
  /// `wide` sets the function of 128 bits apart from that of 64.
  SipState(const SipKey& key, std::uint64_t wide) noexcept
      : v0_(key.low ^ 0x736f6d6570736575U),
        v1_(key.high ^ 0x646f72616e646f6dU ^ wide),
        v2_(key.low ^ 0x6c7967656e657261U),
        v3_(key.high ^ 0x7465646279746573U) {}

  void add(std::string_view text) noexcept {
    std::uint64_t last = std::uint64_t{text.size()} << 56;
    for (; text.size() >= 8; text.remove_prefix(8)) {
      add(base::load_le<std::uint64_t>(text.data()));
    }
    for (std::size_t i = 0; i < text.size(); ++i) {
      last |= std::uint64_t{static_cast<unsigned char>(text[i])} << 8 * i;
    }
    add(last);
  }

  std::uint64_t finish() noexcept {
    v2_ ^= 0xff;
    return output();
  }
  Hash128 finish128() noexcept {
    v2_ ^= kWide;
    const std::uint64_t first = output();
    v1_ ^= 0xdd;
    return {first, output()};
  }

  static constexpr std::uint64_t kWide = 0xee;

 private:
  void add(std::uint64_t word) noexcept {
    v3_ ^= word;
    round();
    round();
    v0_ ^= word;
  }

  std::uint64_t output() noexcept {
    for (int i = 0; i < 4; ++i) round();
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

  void round() noexcept {
    v0_ += v1_;
    v2_ += v3_;
    v1_ = std::rotl(v1_, 13) ^ v0_;
    v3_ = std::rotl(v3_, 16) ^ v2_;
    v0_ = std::rotl(v0_, 32);
    v2_ += v1_;
    v0_ += v3_;
    v1_ = std::rotl(v1_, 17) ^ v2_;
    v3_ = std::rotl(v3_, 21) ^ v0_;
    v2_ = std::rotl(v2_, 32);
  }

  std::uint64_t v0_;
  std::uint64_t v1_;
  std::uint64_t v2_;
  std::uint64_t v3_;
};

}  // namespace

SipKey SipKey::random() {
  return {base::system_random(), base::system_random()};
}

std::uint64_t siphash(std::string_view text, const SipKey& key) noexcept {
  SipState state(key, 0);
  state.add(text);
  return state.finish();
}

Hash128 siphash128(std::string_view text, const SipKey& key) noexcept {
  SipState state(key, SipState::kWide);
  state.add(text);
  return state.finish128();
}

}  // namespace crivo::hashing
