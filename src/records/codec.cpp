// SPDX-License-Identifier: Apache-2.0
#include "records/codec.hpp"

#include <array>

#include "base/named_rows.hpp"
#include "base/read_only.hpp"
#include "crivo/error.hpp"
#include "records/block.hpp"
#include "records/token_training.hpp"
#include "records/tokens.hpp"
#include "records/zstd_blocks.hpp"

namespace crivo::records {

namespace {

using base::for_builds;

class RawCodec final : public Codec {
 public:
  std::unique_ptr<Encoder> encoder() const override { return nullptr; }
  std::unique_ptr<Decoder> decoder(std::uint64_t) const override { return nullptr; }
};

base::Bytes train_nothing(const UnitSample&, double) {
  return {};
}

std::unique_ptr<const Codec> open_raw(base::ByteView dictionary) {
  if (!dictionary.empty()) {
    throw Error(ErrorKind::corrupt, "the record store has a dictionary, and raw records");
  }
  return std::make_unique<RawCodec>();
}

template <unsigned kBits>
base::Bytes train_bits(const UnitSample& sample, double share) {
  return train_tokens(sample, share, kBits);
}

template <unsigned kBits>
std::unique_ptr<const Codec> open_bits(base::ByteView dictionary) {
  return open_tokens(dictionary, kBits);
}

base::Bytes train_zstd(const UnitSample& sample, double) {
  return train_dictionary(sample.bytes, sample.sizes);
}

// In the order of the numbers.
constexpr std::array<CodecType, kCodecs> kTypes{
    CodecType{CodecId::none, "none", true, 0, 0, for_builds(train_nothing), open_raw},
    CodecType{CodecId::tokens12, "tokens12", true, longest_token_dictionary(12),
              std::uint64_t{6} << 20, for_builds(train_bits<12>), open_bits<12>},
    CodecType{CodecId::tokens16, "tokens16", true, longest_token_dictionary(16),
              std::uint64_t{12} << 20, for_builds(train_bits<16>), open_bits<16>},
    CodecType{CodecId::zstd, "zstd", false, kMaxDictionary, kDictionarySample,
              for_builds(train_zstd), open_zstd},
};

constexpr auto kCodecNames = base::names_of<kTypes>();

struct GoalRow {
  std::string_view name;
  Goal goal;
};
constexpr std::array kGoals{GoalRow{"size", Goal::size}, GoalRow{"balanced", Goal::balanced},
                            GoalRow{"speed", Goal::speed}};
constexpr auto kGoalNames = base::names_of<kGoals>();

}  // namespace

UnitSample UnitSample::first(std::uint64_t most) const noexcept {
  std::size_t count = 0;
  std::size_t size = 0;
  while (count < sizes.size() && size < most) size += sizes[count++];
  return {bytes.first(size), sizes.first(count)};
}

std::span<const CodecType> codec_types() noexcept {
  return kTypes;
}

std::span<const std::string_view> codec_names() noexcept {
  return kCodecNames;
}

const CodecType& codec_type(CodecId id) noexcept {
  return kTypes[static_cast<std::size_t>(id)];
}

const CodecType* find_codec(std::uint32_t number) noexcept {
  return number < kTypes.size() ? &kTypes[number] : nullptr;
}

const CodecType& find_codec(std::string_view name) {
  return base::find_named(kTypes, "codec", name);
}

std::span<const std::string_view> goal_names() noexcept {
  return kGoalNames;
}

Goal find_goal(std::string_view name) {
  return base::find_named(kGoals, "goal", name).goal;
}

}  // namespace crivo::records
