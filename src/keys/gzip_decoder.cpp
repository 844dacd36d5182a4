#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "keys/decoder.hpp"

namespace crivo::keys {
namespace {

class GzipDecoder final : public Decoder {
 public:
  GzipDecoder() {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~GzipDecoder() override { inflateEnd(&stream_); }
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;

  const char* format() const noexcept override { return "gzip"; }
  void begin_stream() override { inflateReset(&stream_); }
  std::size_t padding_unit() const noexcept override { return 1; }  // what tapes leave

  DecodeStep decode(std::span<const char> input, std::span<char> output) override {
    constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
    const auto offered = static_cast<uInt>(std::min(input.size(), kMost));
    const auto wanted = static_cast<uInt>(std::min(output.size(), kMost));
    stream_.next_in =
        reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));  // zlib does not write to it
    stream_.avail_in = offered;
    stream_.next_out = reinterpret_cast<Bytef*>(output.data());
    stream_.avail_out = wanted;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    DecodeStep step{offered - stream_.avail_in, wanted - stream_.avail_out, status == Z_STREAM_END,
                    nullptr};
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      step.damage = stream_.msg != nullptr ? stream_.msg : "no gzip data";
    }
    return step;
  }

 private:
  z_stream stream_{};
};

}  // namespace

std::unique_ptr<Decoder> gzip_decoder() {
  return std::make_unique<GzipDecoder>();
}

}  // namespace crivo::keys
