// SPDX-License-Identifier: Apache-2.0
#include "records/build/zstd_encoder.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "crivo/error.hpp"
#include "records/zstd_blocks.hpp"

namespace crivo::records {

namespace {

// Throws unless there is memory for what of libzstd 1.5.4 does not survive its want: training
// (which copies from a null pointer, or takes a worse dictionary without a word) takes 12 MiB,
// measured, and to prepare a dictionary (the same) far less.
void require_memory() {
  constexpr std::size_t kEnough = std::size_t{24} << 20;
  ::operator delete(::operator new(kEnough));
}

class ZstdEncoder final : public Encoder {
 public:
  // `dictionary` may be null.
  ZstdEncoder(const ZSTD_CDict* dictionary, int level)
      : context_(owned<ZSTD_freeCCtx>(ZSTD_createCCtx())) {
    // Units have a check of their own, and one dictionary that needs no name.
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
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
  ZstdOwned<ZSTD_CCtx, ZSTD_freeCCtx> context_;
};

class ZstdEncoding final : public Encoding {
 public:
  ZstdEncoding(base::ByteView dictionary, Effort effort)
      : level_(effort == Effort::more ? kMoreCompressionLevel : kCompressionLevel) {
    if (dictionary.empty()) return;
    require_memory();
    dictionary_ =
        owned<ZSTD_freeCDict>(ZSTD_createCDict(dictionary.data(), dictionary.size(), level_));
  }

  std::unique_ptr<Encoder> encoder() const override {
    return std::make_unique<ZstdEncoder>(dictionary_.get(), level_);
  }

 private:
  int level_;
  ZstdOwned<ZSTD_CDict, ZSTD_freeCDict> dictionary_;
};

// Sample blocks one after the other, as ZDICT takes them.
struct Samples {
  base::Bytes bytes;
  std::vector<std::size_t> sizes;

  void add(base::ByteView block) {
    bytes.insert(bytes.end(), block.begin(), block.end());
    sizes.push_back(block.size());
  }
  // Returns the bytes of the blocks when they are stored.
  std::uint64_t stored_size(base::ByteView dictionary) const {
    const std::unique_ptr<const Encoding> encoding = open_zstd_encoding(dictionary);
    const std::unique_ptr<Encoder> encoder = encoding->encoder();
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

/// A dictionary of at most so many bytes; none where there is too little data, or nothing in
/// common.
base::Bytes trained(base::ByteView texts, std::span<const std::size_t> sizes, std::size_t most) {
  base::Bytes dictionary(most);
  require_memory();
  const std::size_t size = ZDICT_trainFromBuffer(dictionary.data(), dictionary.size(), texts.data(),
                                                 sizes.data(), static_cast<unsigned>(sizes.size()));
  if (is_out_of_memory(size)) out_of_memory();
  dictionary.resize(ZDICT_isError(size) ? 0 : size);
  return dictionary;
}

}  // namespace

base::Bytes train_text(base::ByteView texts, std::span<const std::size_t> sizes, std::size_t most) {
  base::Bytes dictionary = trained(texts, sizes, most);
  if (dictionary.empty()) return dictionary;
  const std::size_t header = ZDICT_getDictHeaderSize(dictionary.data(), dictionary.size());
  if (is_out_of_memory(header)) out_of_memory();
  dictionary.erase(dictionary.begin(), dictionary.begin() + static_cast<std::ptrdiff_t>(header));
  return dictionary;
}

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
  base::Bytes dictionary = trained(training.bytes, training.sizes,
                                   std::min(kMaxDictionary, training.bytes.size() / kSampleRatio));
  if (dictionary.empty()) return {};
  const std::uint64_t without = held_out.stored_size({});
  const std::uint64_t with = held_out.stored_size(dictionary);
  if (with >= without || (without - with) * kHeldOut <= dictionary.size()) return {};
  return dictionary;
}

std::unique_ptr<const Encoding> open_zstd_encoding(base::ByteView dictionary, Effort effort) {
  return std::make_unique<ZstdEncoding>(dictionary, effort);
}

}  // namespace crivo::records
