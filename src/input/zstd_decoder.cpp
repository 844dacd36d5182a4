// SPDX-License-Identifier: Apache-2.0
#include <zstd.h>
#include <zstd_errors.h>

#include <new>

#include "input/decoder.hpp"

namespace crivo::input {
namespace {

class ZstdDecoder final : public Decoder {
 public:
  ZstdDecoder() : context_(ZSTD_createDCtx()) {
    constexpr int kWindowLogMax = 27;  // 128 MiB, what `zstd -d` accepts by default
    if (context_ == nullptr) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, kWindowLogMax);
  }
  ~ZstdDecoder() override { ZSTD_freeDCtx(context_); }
  ZstdDecoder(const ZstdDecoder&) = delete;
  ZstdDecoder& operator=(const ZstdDecoder&) = delete;

  const char* format() const noexcept override { return "zstd"; }
  void begin_stream() override {}  // at the end of a frame it expects another

  DecodeStep decode(std::span<const char> input, std::span<char> output) override {
    ZSTD_inBuffer in{input.data(), input.size(), 0};
    ZSTD_outBuffer out{output.data(), output.size(), 0};
    const std::size_t status = ZSTD_decompressStream(context_, &out, &in);
    if (ZSTD_isError(status) != 0) {
      if (ZSTD_getErrorCode(status) == ZSTD_error_memory_allocation) throw std::bad_alloc();
      return {in.pos, out.pos, false, ZSTD_getErrorName(status)};
    }
    return {in.pos, out.pos, status == 0, nullptr};
  }

 private:
  ZSTD_DCtx* context_;
};

}  // namespace

std::unique_ptr<Decoder> zstd_decoder() {
  return std::make_unique<ZstdDecoder>();
}

}  // namespace crivo::input
