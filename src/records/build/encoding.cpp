// SPDX-License-Identifier: Apache-2.0
#include "records/build/encoding.hpp"

#include <array>

#include "base/named_rows.hpp"
#include "records/build/neighbour_encoder.hpp"
#include "records/build/token_matcher.hpp"
#include "records/build/zstd_encoder.hpp"
#include "records/tokens.hpp"

namespace crivo::records {

namespace {

base::Bytes train_nothing(const UnitSample&, double) {
  return {};
}

template <unsigned kBits>
base::Bytes train_bits(const UnitSample& sample, double share) {
  return train_tokens(sample, share, kBits);
}

base::Bytes train_zstd(const UnitSample& sample, double) {
  return train_dictionary(sample.bytes, sample.sizes);
}

class RawEncoding final : public Encoding {
 public:
  std::unique_ptr<Encoder> encoder() const override { return nullptr; }
};

std::unique_ptr<const Encoding> open_raw_encoding(base::ByteView /*dictionary*/, Effort) {
  return std::make_unique<RawEncoding>();
}

template <unsigned kBits>
std::unique_ptr<const Encoding> open_bits_encoding(base::ByteView dictionary, Effort) {
  return open_token_encoding(dictionary, kBits);
}

// In the order of the numbers.
constexpr std::array<CodecBuilder, kCodecs> kCodecBuilders{
    CodecBuilder{CodecId::none, 0, train_nothing, open_raw_encoding},
    CodecBuilder{CodecId::tokens12, std::uint64_t{6} << 20, train_bits<12>, open_bits_encoding<12>},
    CodecBuilder{CodecId::tokens16, std::uint64_t{12} << 20, train_bits<16>,
                 open_bits_encoding<16>},
    CodecBuilder{CodecId::zstd, kDictionarySample, train_zstd, open_zstd_encoding},
    CodecBuilder{CodecId::neighbours, kNeighbourSample, train_neighbours, open_neighbour_encoding},
};

struct GoalRow {
  std::string_view name;
  Goal goal;
};
constexpr std::array kGoals{GoalRow{"smallest", Goal::smallest}, GoalRow{"size", Goal::size},
                            GoalRow{"balanced", Goal::balanced}, GoalRow{"speed", Goal::speed}};
constexpr auto kGoalNames = base::names_of<kGoals>();

}  // namespace

UnitSample UnitSample::first(std::uint64_t most) const noexcept {
  std::size_t count = 0;
  std::size_t size = 0;
  while (count < sizes.size() && size < most) size += sizes[count++];
  return {bytes.first(size), sizes.first(count)};
}

const CodecBuilder& builder_of(CodecId id) noexcept {
  return kCodecBuilders[static_cast<std::size_t>(id)];
}

std::span<const std::string_view> goal_names() noexcept {
  return kGoalNames;
}

Goal find_goal(std::string_view name) {
  return base::find_named(kGoals, "goal", name).goal;
}

namespace {

template <typename Packed>
class TokenEncoder final : public Encoder {
 public:
  explicit TokenEncoder(const TokenMatcher& matcher) : matcher_(matcher) {}

  bool encode(base::ByteView raw, base::Bytes& stored) override {
    const std::size_t begin = stored.size();
    stored.resize(begin + raw.size());
    std::byte* const out = stored.data() + begin;
    std::size_t tokens = 0;
    std::size_t at = 0;
    // At least a byte shorter: what put() writes has room.
    while (at < raw.size() && Packed::size(tokens + 1) < raw.size()) {
      const TokenMatcher::Match match = matcher_.longest(raw.subspan(at));
      Packed::put(out, tokens++, match.token);
      at += match.size;
    }
    const bool shorter = at == raw.size() && !raw.empty();
    stored.resize(begin + (shorter ? Packed::size(tokens) : 0));
    return shorter;
  }

 private:
  const TokenMatcher& matcher_;
};

template <typename Packed>
class TokenEncoding final : public Encoding {
 public:
  explicit TokenEncoding(base::ByteView dictionary) {
    const TokenList tokens = TokenList::decode(dictionary, std::size_t{1} << Packed::kBits);
    for (std::size_t t = TokenList::kSingles; t < tokens.size(); ++t)
      matcher_.insert(tokens.text(t), static_cast<std::uint32_t>(t));
  }

  std::unique_ptr<Encoder> encoder() const override {
    return std::make_unique<TokenEncoder<Packed>>(matcher_);
  }

 private:
  TokenMatcher matcher_;
};

}  // namespace

std::unique_ptr<const Encoding> open_token_encoding(base::ByteView dictionary, unsigned bits) {
  if (bits == Packed12::kBits) return std::make_unique<TokenEncoding<Packed12>>(dictionary);
  return std::make_unique<TokenEncoding<Packed16>>(dictionary);
}

}  // namespace crivo::records
