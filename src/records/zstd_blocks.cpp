// SPDX-License-Identifier: Apache-2.0
#include "records/zstd_blocks.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "base/once.hpp"
#include "base/read_only.hpp"
#include "crivo/error.hpp"
#include "records/zstd.hpp"

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

struct Free {
  void operator()(ZSTD_CCtx* context) const noexcept { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
  void operator()(ZSTD_CDict* dictionary) const noexcept { ZSTD_freeCDict(dictionary); }
  void operator()(ZSTD_DDict* dictionary) const noexcept { ZSTD_freeDDict(dictionary); }
};
template <typename T>
using Owned = std::unique_ptr<T, Free>;

template <typename T>
Owned<T> owned(T* made) {
  if (made == nullptr) out_of_memory();
  return Owned<T>(made);
}

class ZstdEncoder final : public Encoder {
 public:
  // `dictionary` may be null.
  explicit ZstdEncoder(const ZSTD_CDict* dictionary) : context_(owned(ZSTD_createCCtx())) {
    // Units have a check of their own, and one dictionary that needs no name.
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kCompressionLevel);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 0);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_dictIDFlag, 0);
    ZSTD_CCtx_refCDict(context_.get(), dictionary);
  }

  bool encode(base::ByteView raw, base::Bytes& stored) override {
    const std::size_t begin = stored.size();
    const std::size_t bound = ZSTD_compressBound(raw.size());
    stored.resize(begin + bound);
    const std::size_t size =
        ZSTD_compress2(context_.get(), stored.data() + begin, bound, raw.data(), raw.size());
    if (is_out_of_memory(size)) out_of_memory();
    if (ZSTD_isError(size)) {
      throw Error(ErrorKind::io, std::string("zstd cannot compress: ") + ZSTD_getErrorName(size));
    }
    const bool shorter = size < raw.size();
    stored.resize(begin + (shorter ? size : 0));
    return shorter;
  }

 private:
  Owned<ZSTD_CCtx> context_;
};

class ZstdDecoder final : public Decoder {
 public:
  // `dictionary` may be null.
  ZstdDecoder(const ZSTD_DDict* dictionary, std::uint64_t longest_raw)
      : dictionary_(dictionary),
        context_(owned(ZSTD_createDCtx())),
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
  Owned<ZSTD_DCtx> context_;
  std::size_t capacity_;
  std::unique_ptr<std::byte[]> buffer_;
};

class ZstdCodec final : public Codec {
 public:
  explicit ZstdCodec(base::ByteView dictionary) : dictionary_(dictionary) {
    if (dictionary.empty()) return;
    decompression_.reset(ZSTD_createDDict(dictionary.data(), dictionary.size()));
    if (decompression_ != nullptr) return;
    if (!is_malformed(dictionary)) out_of_memory();
    throw Error(ErrorKind::corrupt, "the record store's zstd dictionary is malformed");
  }

  std::unique_ptr<Encoder> encoder() const override {
    if constexpr (base::kReadOnly) {
      return nullptr;
    } else {
      compression_made_.call([&] {
        if (dictionary_.empty()) return;
        require_memory();
        compression_ =
            owned(ZSTD_createCDict(dictionary_.data(), dictionary_.size(), kCompressionLevel));
      });
      return std::make_unique<ZstdEncoder>(compression_.get());
    }
  }
  std::unique_ptr<Decoder> decoder(std::uint64_t longest_raw) const override {
    return std::make_unique<ZstdDecoder>(decompression_.get(), longest_raw);
  }

 private:
  base::ByteView dictionary_;
  Owned<ZSTD_DDict> decompression_;
  mutable base::Once compression_made_;  // readers need none
  mutable Owned<ZSTD_CDict> compression_;
};

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
    const std::unique_ptr<const Codec> codec = open_zstd(dictionary);
    const std::unique_ptr<Encoder> encoder = codec->encoder();
    base::Bytes stored;
    std::uint64_t total = 0;
    base::ByteView rest = bytes;
    for (const std::size_t size : sizes) {
      stored.clear();
      total += encoder->encode(rest.first(size), stored) ? stored.size() : size;
      rest = rest.subspan(size);
    }
    return total;
  }
};

}  // namespace

base::Bytes train_dictionary(base::ByteView blocks, std::span<const std::size_t> sizes) {
  constexpr std::size_t kFewest = 16;       // blocks
  constexpr std::size_t kSampleRatio = 64;  // the least training data for a byte of dictionary
  constexpr std::size_t kHeldOut = 8;  // one block in so many shows what the dictionary is worth
  if (sizes.size() < kFewest) return {};
  Samples training;
  Samples held_out;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    (i % kHeldOut == 0 ? held_out : training).add(blocks.first(sizes[i]));
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

std::unique_ptr<const Codec> open_zstd(base::ByteView dictionary) {
  require_zstd();
  return std::make_unique<ZstdCodec>(dictionary);
}

}  // namespace crivo::records
