// SPDX-License-Identifier: Apache-2.0
#include "records/zstd_blocks.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "crivo/error.hpp"

namespace crivo::records {

namespace {

// Whether zstd refuses the dictionary for what it holds, and not for want of memory.
bool is_malformed(base::ByteView dictionary) noexcept {
  // A dictionary without the magic number is taken as mere content, which may be anything.
  if (dictionary.size() < 8 ||
      base::load_le<std::uint32_t>(dictionary.data()) != ZSTD_MAGIC_DICTIONARY) {
    return false;
  }
  const std::size_t header = ZDICT_getDictHeaderSize(dictionary.data(), dictionary.size());
  return ZDICT_isError(header) != 0 && !is_out_of_memory(header);
}

class ZstdDecoder final : public Decoder {
 public:
  // `dictionary` may be null.
  ZstdDecoder(const ZSTD_DDict* dictionary, std::uint64_t longest_raw)
      : dictionary_(dictionary),
        context_(owned<ZSTD_freeDCtx>(ZSTD_createDCtx())),
        capacity_(longest_raw),
        buffer_(std::make_unique_for_overwrite<std::byte[]>(longest_raw)) {}

  bool decode(base::ByteView stored, base::ByteView& raw) noexcept override {
    // Frames of zstd's old formats, which a libzstd may know, would make it allocate.
    if (stored.size() < 4 || base::load_le<std::uint32_t>(stored.data()) != ZSTD_MAGICNUMBER) {
      return false;
    }
    const std::size_t size = ZSTD_decompress_usingDDict(context_.get(), buffer_.get(), capacity_,
                                                        stored.data(), stored.size(), dictionary_);
    if (ZSTD_isError(size)) return false;
    raw = {buffer_.get(), size};
    return true;
  }

 private:
  const ZSTD_DDict* dictionary_;
  ZstdOwned<ZSTD_DCtx, ZSTD_freeDCtx> context_;
  std::size_t capacity_;
  std::unique_ptr<std::byte[]> buffer_;
};

class ZstdCodec final : public Codec {
 public:
  explicit ZstdCodec(base::ByteView dictionary) {
    if (dictionary.empty()) return;
    decompression_.reset(ZSTD_createDDict(dictionary.data(), dictionary.size()));
    if (decompression_ != nullptr) return;
    if (!is_malformed(dictionary)) out_of_memory();
    throw Error(ErrorKind::corrupt, "the record store's zstd dictionary is malformed");
  }

  std::unique_ptr<Decoder> decoder(std::uint64_t longest_raw) const override {
    return std::make_unique<ZstdDecoder>(decompression_.get(), longest_raw);
  }

 private:
  ZstdOwned<ZSTD_DDict, ZSTD_freeDDict> decompression_;
};

}  // namespace

std::unique_ptr<const Codec> open_zstd(base::ByteView dictionary) {
  require_zstd();
  return std::make_unique<ZstdCodec>(dictionary);
}

}  // namespace crivo::records
