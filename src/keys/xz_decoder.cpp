#include <lzma.h>

#include <new>

#include "keys/decoder.hpp"

namespace crivo::keys {
namespace {

const char* damage_of(lzma_ret status) noexcept {
  switch (status) {
    case LZMA_FORMAT_ERROR:
      return "no xz data";
    case LZMA_OPTIONS_ERROR:
      return "unsupported options";
    case LZMA_UNSUPPORTED_CHECK:
      return "unsupported checksum";
    case LZMA_MEMLIMIT_ERROR:
      return "more than 256 MiB of memory needed";
    default:
      return "corrupt data";
  }
}

class XzDecoder final : public Decoder {
 public:
  XzDecoder() = default;
  ~XzDecoder() override { lzma_end(&stream_); }
  XzDecoder(const XzDecoder&) = delete;
  XzDecoder& operator=(const XzDecoder&) = delete;

  const char* format() const noexcept override { return "xz"; }
  std::size_t padding_unit() const noexcept override { return 4; }

  void begin_stream() override {
    constexpr std::uint64_t kMemory = std::uint64_t{256} << 20;  // `xz -9` needs a quarter of it
    if (lzma_stream_decoder(&stream_, kMemory, LZMA_TELL_UNSUPPORTED_CHECK) != LZMA_OK) {
      throw std::bad_alloc();
    }
  }

  DecodeStep decode(std::span<const char> input, std::span<char> output) override {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(input.data());
    stream_.avail_in = input.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(output.data());
    stream_.avail_out = output.size();
    const lzma_ret status = lzma_code(&stream_, LZMA_RUN);
    if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
    DecodeStep step{input.size() - stream_.avail_in, output.size() - stream_.avail_out,
                    status == LZMA_STREAM_END, nullptr};
    const bool no_progress = status == LZMA_BUF_ERROR;
    if (status != LZMA_OK && !step.ended && !no_progress) step.damage = damage_of(status);
    return step;
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

}  // namespace

std::unique_ptr<Decoder> xz_decoder() {
  return std::make_unique<XzDecoder>();
}

}  // namespace crivo::keys
