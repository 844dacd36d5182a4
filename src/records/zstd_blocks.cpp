#include "records/zstd_blocks.hpp"

#include <zdict.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "crivo/error.hpp"

namespace crivo::records {

namespace {

[[noreturn]] void out_of_memory() {
  throw Error(ErrorKind::io, "out of memory: zstd cannot get what it needs");
}

// Throws unless there is memory for what of libzstd 1.5.4 does not survive its want: training
// (which copies from a null pointer, or takes a worse dictionary without a word) takes 12 MiB,
// measured, and to prepare a dictionary (the same) far less.
void require_memory() {
  constexpr std::size_t kEnough = std::size_t{24} << 20;
  ::operator delete(::operator new(kEnough));
}

bool is_out_of_memory(std::size_t result) noexcept {
  return ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation;
}

// Whether zstd refuses the dictionary for what it holds, and not for want of memory.
bool is_malformed(base::ByteView dictionary) noexcept {
  // What does not begin as a dictionary is taken as mere content, which may be anything.
  if (dictionary.size() < 8 ||
      base::load_le<std::uint32_t>(dictionary.data()) != ZSTD_MAGIC_DICTIONARY) {
    return false;
  }
  const std::size_t header = ZDICT_getDictHeaderSize(dictionary.data(), dictionary.size());
  return ZDICT_isError(header) != 0 && !is_out_of_memory(header);
}

// Sample blocks one after the other, as ZDICT takes them.
struct Samples {
  base::Bytes bytes;
  std::vector<std::size_t> sizes;

  void add(base::ByteView block) {
    bytes.insert(bytes.end(), block.begin(), block.end());
    sizes.push_back(block.size());
  }
  // What the blocks take when stored.
  std::uint64_t stored_size(base::ByteView dictionary) const {
    const CompressionDictionary prepared(dictionary);
    BlockCompressor compressor(prepared);
    base::Bytes stored;
    std::uint64_t total = 0;
    base::ByteView rest = bytes;
    for (const std::size_t size : sizes) {
      compressor.compress(rest.first(size), stored);
      rest = rest.subspan(size);
      total += stored.size();
    }
    return total;
  }
};

}  // namespace

base::Bytes train_dictionary(base::ByteView blocks, std::span<const std::size_t> sizes) {
  constexpr std::size_t kFewest = 16;                      // blocks
  constexpr std::size_t kLongest = std::size_t{16} << 10;  // of a long block the front is enough
  constexpr std::size_t kSampleRatio = 64;  // the least training data for a byte of dictionary
  constexpr std::size_t kHeldOut = 8;  // one block in so many shows what the dictionary is worth
  if (sizes.size() < kFewest) return {};
  Samples training;
  Samples held_out;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    (i % kHeldOut == 0 ? held_out : training).add(blocks.first(std::min(sizes[i], kLongest)));
    blocks = blocks.subspan(sizes[i]);
  }
  base::Bytes dictionary(std::min(kMaxDictionary, training.bytes.size() / kSampleRatio));
  require_memory();
  const std::size_t size =
      ZDICT_trainFromBuffer(dictionary.data(), dictionary.size(), training.bytes.data(),
                            training.sizes.data(), static_cast<unsigned>(training.sizes.size()));
  if (is_out_of_memory(size)) out_of_memory();
  if (ZDICT_isError(size)) return {};  // too little data, or nothing in common
  dictionary.resize(size);
  const std::uint64_t without = held_out.stored_size({});
  const std::uint64_t with = held_out.stored_size(dictionary);
  if (with >= without || (without - with) * kHeldOut <= dictionary.size()) return {};
  return dictionary;
}

CompressionDictionary::CompressionDictionary(base::ByteView dictionary) {
  if (dictionary.empty()) return;
  require_memory();
  dictionary_ = ZSTD_createCDict(dictionary.data(), dictionary.size(), kCompressionLevel);
  if (dictionary_ == nullptr) out_of_memory();
}

CompressionDictionary::~CompressionDictionary() {
  ZSTD_freeCDict(dictionary_);
}

BlockCompressor::BlockCompressor(const CompressionDictionary& dictionary)
    : context_(ZSTD_createCCtx()) {
  if (context_ == nullptr) out_of_memory();
  // The blocks have a checksum of their own, and one dictionary that needs no name.
  ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, kCompressionLevel);
  ZSTD_CCtx_setParameter(context_, ZSTD_c_checksumFlag, 0);
  ZSTD_CCtx_setParameter(context_, ZSTD_c_dictIDFlag, 0);
  ZSTD_CCtx_refCDict(context_, dictionary.dictionary_);
}

BlockCompressor::~BlockCompressor() {
  ZSTD_freeCCtx(context_);
}

BlockCompressor::BlockCompressor(BlockCompressor&& other) noexcept
    : context_(std::exchange(other.context_, nullptr)) {}

void BlockCompressor::compress(base::ByteView raw, base::Bytes& stored) {
  stored.resize(ZSTD_compressBound(raw.size()));
  const std::size_t size =
      ZSTD_compress2(context_, stored.data(), stored.size(), raw.data(), raw.size());
  if (is_out_of_memory(size)) out_of_memory();
  if (ZSTD_isError(size)) {
    throw Error(ErrorKind::io, std::string("zstd cannot compress: ") + ZSTD_getErrorName(size));
  }
  if (size < raw.size()) {
    stored.resize(size);
  } else {
    stored.assign(raw.begin(), raw.end());
  }
}

DecompressionDictionary::DecompressionDictionary(base::ByteView dictionary) {
  if (dictionary.empty()) return;
  dictionary_ = ZSTD_createDDict(dictionary.data(), dictionary.size());
  if (dictionary_ != nullptr) return;
  if (!is_malformed(dictionary)) out_of_memory();
  throw Error(ErrorKind::corrupt, "the record store's zstd dictionary is malformed");
}

DecompressionDictionary::~DecompressionDictionary() {
  ZSTD_freeDDict(dictionary_);
}

BlockDecompressor::BlockDecompressor(const DecompressionDictionary& dictionary,
                                     std::size_t max_raw_size)
    : dictionary_(dictionary),
      context_(ZSTD_createDCtx()),
      capacity_(max_raw_size),
      buffer_(std::make_unique_for_overwrite<std::byte[]>(max_raw_size)) {
  if (context_ == nullptr) out_of_memory();
}

BlockDecompressor::~BlockDecompressor() {
  ZSTD_freeDCtx(context_);
}

bool BlockDecompressor::decompress(base::ByteView stored, std::size_t raw_size,
                                   base::ByteView& raw) noexcept {
  if (stored.size() == raw_size) {
    raw = stored;
    return true;
  }
  // Frames of zstd's old formats, which a libzstd may know, would make it allocate.
  if (raw_size > capacity_ || stored.size() < 4 ||
      base::load_le<std::uint32_t>(stored.data()) != ZSTD_MAGICNUMBER) {
    return false;
  }
  const std::size_t size = ZSTD_decompress_usingDDict(
      context_, buffer_.get(), raw_size, stored.data(), stored.size(), dictionary_.dictionary_);
  if (ZSTD_isError(size) || size != raw_size) return false;
  raw = {buffer_.get(), raw_size};
  return true;
}

}  // namespace crivo::records
