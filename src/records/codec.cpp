// SPDX-License-Identifier: Apache-2.0
#include "records/codec.hpp"

#include <array>

#include "base/named_rows.hpp"
#include "crivo/error.hpp"
#include "records/block.hpp"
#include "records/tokens.hpp"
#include "records/zstd_blocks.hpp"

namespace crivo::records {

namespace {

class RawCodec final : public Codec {
 public:
  std::unique_ptr<Decoder> decoder(std::uint64_t) const override { return nullptr; }
};

std::unique_ptr<const Codec> open_raw(base::ByteView dictionary) {
  if (!dictionary.empty()) {
    throw Error(ErrorKind::corrupt, "the record store has a dictionary, and raw records");
  }
  return std::make_unique<RawCodec>();
}

template <unsigned kBits>
std::unique_ptr<const Codec> open_bits(base::ByteView dictionary) {
  return open_tokens(dictionary, kBits);
}

// In the order of the numbers.
constexpr std::array<CodecType, kCodecs> kTypes{
    CodecType{CodecId::none, "none", true, 0, open_raw},
    CodecType{CodecId::tokens12, "tokens12", true, longest_token_dictionary(12), open_bits<12>},
    CodecType{CodecId::tokens16, "tokens16", true, longest_token_dictionary(16), open_bits<16>},
    CodecType{CodecId::zstd, "zstd", false, kMaxDictionary, open_zstd},
};

constexpr auto kCodecNames = base::names_of<kTypes>();

}  // namespace

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

}  // namespace crivo::records
