#include <bzlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "keys/decoder.hpp"

namespace crivo::keys {
namespace {

class Bzip2Decoder final : public Decoder {
 public:
  Bzip2Decoder() = default;
  ~Bzip2Decoder() override { BZ2_bzDecompressEnd(&stream_); }
  Bzip2Decoder(const Bzip2Decoder&) = delete;
  Bzip2Decoder& operator=(const Bzip2Decoder&) = delete;

  const char* format() const noexcept override { return "bzip2"; }

  void begin_stream() override {
    BZ2_bzDecompressEnd(&stream_);  // refuses, harmlessly, before the first
    stream_ = {};
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }

  DecodeStep decode(std::span<const char> input, std::span<char> output) override {
    constexpr std::size_t kMost = std::numeric_limits<unsigned>::max();
    const auto offered = static_cast<unsigned>(std::min(input.size(), kMost));
    const auto wanted = static_cast<unsigned>(std::min(output.size(), kMost));
    stream_.next_in = const_cast<char*>(input.data());  // bzip2 does not write to it
    stream_.avail_in = offered;
    stream_.next_out = output.data();
    stream_.avail_out = wanted;
    const int status = BZ2_bzDecompress(&stream_);
    if (status == BZ_MEM_ERROR) throw std::bad_alloc();
    DecodeStep step{offered - stream_.avail_in, wanted - stream_.avail_out, status == BZ_STREAM_END,
                    nullptr};
    if (status == BZ_DATA_ERROR_MAGIC) {
      step.damage = "no bzip2 data";
    } else if (status != BZ_OK && !step.ended) {
      step.damage = "corrupt data";
    }
    return step;
  }

 private:
  bz_stream stream_{};
};

}  // namespace

std::unique_ptr<Decoder> bzip2_decoder() {
  return std::make_unique<Bzip2Decoder>();
}

}  // namespace crivo::keys
