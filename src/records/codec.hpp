// SPDX-License-Identifier: Apache-2.0
/// Codecs: how the bytes of records become fewer, and their registry.
///
/// A codec works on *units*, each of which decodes alone. Of a codec by record a unit is one key
/// and its record, of one by block those of consecutive ranks. See unit.hpp for a unit's bytes and
/// formats/store.md, formats/tokens.md for the specification. The codec's section says which it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/bytes.hpp"
#include "base/page_checks.hpp"

namespace crivo::records {

/// The numbers stand in files.
enum class CodecId : std::uint32_t {
  none = 0,
  tokens12 = 1,    ///< tokens of 12 bits, of a dictionary of at most 4096
  tokens16 = 2,    ///< tokens of 16 bits, of at most 65536
  zstd = 3,        ///< blocks of records as zstd frames
  neighbours = 4,  ///< blocks of which each record is what differs from some before it
};

inline constexpr std::size_t kCodecs = 5;

/// The bytes of a block that zstd compresses, where nothing else was asked for, and the bounds of
/// what may be. A block is closed before the record that would make it larger; only a single record
/// makes a longer one.
inline constexpr std::uint32_t kDefaultBlock = 2048;
inline constexpr std::uint32_t kLeastBlock = 512;
inline constexpr std::uint32_t kMostBlock = 16384;

/// Decodes units, from untrusted bytes; one a thread. All memory is taken at construction.
class Decoder {
 public:
  virtual ~Decoder() = default;
  /// Sets `raw` to the unit that `stored` holds, in the decoder's memory until the next call. False
  /// if `stored` is malformed, or the unit longer than the longest named.
  virtual bool decode(base::ByteView stored, base::ByteView& raw) noexcept = 0;
};

/// Reads the records of encoded blocks, from untrusted bytes, without the others of the block; one
/// a thread. All memory is taken at construction.
class BlockReader {
 public:
  virtual ~BlockReader() = default;
  /// Takes up a block of so many records, whose bytes are read until the next; false if `stored` is
  /// malformed.
  virtual bool open(base::ByteView stored, std::uint32_t records) noexcept = 0;
  /// Sets `record` to one of its records, in the reader's memory until the next call, whose key
  /// is empty. False if it is malformed. Cheapest in ascending order.
  virtual bool read(std::uint32_t number, std::string_view& record) noexcept = 0;
};

/// A codec made ready with its dictionary: immutable, for any number of threads; decoders must not
/// outlive it.
class Codec {
 public:
  virtual ~Codec() = default;
  /// For units of at most `longest_raw` bytes. Null where all units are raw, and where they have
  /// a block_reader().
  virtual std::unique_ptr<Decoder> decoder(std::uint64_t /*longest_raw*/) const { return nullptr; }
  /// The same of a codec whose blocks are read by their records; null of others.
  virtual std::unique_ptr<BlockReader> block_reader(std::uint64_t /*longest_raw*/) const {
    return nullptr;
  }
};

/// A row of the registry.
struct CodecType {
  CodecId id;
  std::string_view name;
  bool by_record;  ///< a unit is one record
  std::uint64_t longest_dictionary;
  /// Prepares the codec with `dictionary`, which must outlive it. Where that has checks its pages
  /// are touched: here, or before what is on them is first needed. Throws Error(corrupt) if it is
  /// malformed, or damaged.
  std::unique_ptr<const Codec> (*open)(const base::CheckedBytes& dictionary);
};

std::span<const CodecType> codec_types() noexcept;
std::span<const std::string_view> codec_names() noexcept;
const CodecType& codec_type(CodecId id) noexcept;
/// Null for a number that this version does not know.
const CodecType* find_codec(std::uint32_t number) noexcept;
/// Throws Error(usage), which lists the names, for another.
const CodecType& find_codec(std::string_view name);

/// What a codec section says before its dictionary.
struct CodecHead {
  CodecId codec = CodecId::none;
  std::uint64_t longest_raw = 0;
  std::uint32_t block_bytes = 0;

  const CodecType& type() const noexcept { return codec_type(codec); }
};

/// Bytes: u32 version; u32 codec; u64 XXH3-64 of all that follows; u64 the longest raw unit; u32
/// bytes of a block (0 of a codec by record); u32 zero; the dictionary.
struct CodecSection : CodecHead {
  base::Bytes dictionary;

  base::Bytes encode() const;
  /// Throws Error(corrupt), or Error(too_new) for a later version or an unknown codec.
  static CodecSection decode(base::ByteView bytes);
};

/// The codec of a file's records, open. Of a section with checks no more is read than is needed,
/// and its pages are touched; of another all, and its checksum is compared.
class StoredCodec {
 public:
  /// `section` must outlive it. Throws what CodecSection::decode() and CodecType::open do.
  explicit StoredCodec(const base::CheckedBytes& section);

  const CodecHead& head() const noexcept { return head_; }
  const CodecType& type() const noexcept { return head_.type(); }
  const Codec& codec() const noexcept { return *codec_; }
  /// The whole section, and the length of its dictionary.
  base::ByteView section() const noexcept { return section_; }
  std::uint64_t dictionary_bytes() const noexcept;

 private:
  base::ByteView section_;
  CodecHead head_;
  std::unique_ptr<const Codec> codec_;
};

}  // namespace crivo::records
