// SPDX-License-Identifier: Apache-2.0
#include "records/codec.hpp"

#include <xxhash.h>

#include <array>
#include <string>

#include "base/named_rows.hpp"
#include "crivo/error.hpp"
#include "records/block.hpp"
#include "records/neighbours.hpp"
#include "records/tokens.hpp"
#include "records/zstd_blocks.hpp"

namespace crivo::records {
namespace {

class RawCodec final : public Codec {};

std::unique_ptr<const Codec> open_raw(base::ByteView dictionary) {
  if (!dictionary.empty()) {
    throw Error(ErrorKind::corrupt, "the record store has a dictionary, and raw records");
  }
  return std::make_unique<RawCodec>();
}

template <unsigned kBits>
std::unique_ptr<const Codec> open_bits(const base::CheckedBytes& dictionary) {
  return open_tokens(dictionary, kBits);
}

/// Reads all of a dictionary.
template <auto& kOpen>
std::unique_ptr<const Codec> open_whole(const base::CheckedBytes& dictionary) {
  base::FieldReader fields(dictionary, "codec section");
  return kOpen(fields.take_touched(fields.remaining()));
}

// In the order of the numbers.
constexpr std::array<CodecType, kCodecs> kTypes{
    CodecType{CodecId::none, "none", true, 0, open_whole<open_raw>},
    CodecType{CodecId::tokens12, "tokens12", true, longest_token_dictionary(12), open_bits<12>},
    CodecType{CodecId::tokens16, "tokens16", true, longest_token_dictionary(16), open_bits<16>},
    CodecType{CodecId::zstd, "zstd", false, kMaxDictionary, open_whole<open_zstd>},
    CodecType{CodecId::neighbours, "neighbours", false, kMostNeighbourDictionary,
              open_whole<open_neighbours>},
};

constexpr auto kCodecNames = base::names_of<kTypes>();

constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kCheckAt = 8;
constexpr std::size_t kCheckedFrom = 16;
constexpr std::size_t kHeadBytes = 32;

std::uint64_t check_of(base::ByteView section) noexcept {
  const base::ByteView checked = section.subspan(kCheckedFrom);
  return XXH3_64bits(checked.data(), checked.size());
}

/// Reads what stands before the dictionary. Where the section has checks no more is touched.
CodecHead read_head(const base::CheckedBytes& section) {
  base::FieldReader fields(section, "codec section");
  if (const std::uint32_t version = fields.u32(); version != kVersion) {
    if (version < kVersion) fields.fail("names an unknown version");
    throw Error(ErrorKind::too_new, "the records' codec section has version " +
                                        std::to_string(version) +
                                        ", which this program does not know; use a newer crivo");
  }
  const std::uint32_t number = fields.u32();
  const std::uint64_t check = fields.u64();
  if (section.checks == nullptr && check != check_of(section.bytes)) {
    throw Error(ErrorKind::corrupt, "damaged: the checksum of its codec section is wrong");
  }
  const CodecType* const type = find_codec(number);
  if (type == nullptr) {
    throw Error(ErrorKind::too_new, "the records have codec " + std::to_string(number) +
                                        ", which this program does not know; use a newer crivo");
  }
  CodecHead head{.codec = type->id};
  head.longest_raw = fields.u64();
  head.block_bytes = fields.u32();
  fields.zeros(4);
  if (head.longest_raw > kMaxRawBlock || fields.remaining() > type->longest_dictionary ||
      (head.block_bytes == 0) != type->by_record) {
    fields.fail("names lengths over the limits");
  }
  return head;
}

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

base::Bytes CodecSection::encode() const {
  base::FieldWriter fields;
  fields.u32(kVersion).u32(static_cast<std::uint32_t>(codec)).u64(0);
  fields.u64(longest_raw).u32(block_bytes).u32(0).bytes(dictionary);
  base::Bytes bytes = fields.take();
  base::store_le(bytes.data() + kCheckAt, check_of(bytes));
  return bytes;
}

CodecSection CodecSection::decode(base::ByteView bytes) {
  CodecSection section{read_head(bytes), {}};
  const base::ByteView dictionary = bytes.subspan(kHeadBytes);
  section.dictionary.assign(dictionary.begin(), dictionary.end());
  return section;
}

StoredCodec::StoredCodec(const base::CheckedBytes& section)
    : section_(section.bytes),
      head_(read_head(section)),
      codec_(type().open(section.subspan(kHeadBytes))) {}

std::uint64_t StoredCodec::dictionary_bytes() const noexcept {
  return section_.size() - kHeadBytes;
}

}  // namespace crivo::records
