// SPDX-License-Identifier: Apache-2.0
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "input/decoder.hpp"

namespace crivo::input {
namespace {

using namespace std::string_view_literals;

/// The dictionary of a file, in a skippable frame before all others: as it is, or a frame itself.
/// So web archives have it (WARC-zstd).
constexpr std::string_view kDictionaryFrame = "\x5d\x2a\x4d\x18"sv;
constexpr std::string_view kDictionary = "\x37\xa4\x30\xec"sv;
constexpr std::string_view kFrame = "\x28\xb5\x2f\xfd"sv;
constexpr std::size_t kFrameHeader = 8;  ///< the magic number, and the size of the content
constexpr std::size_t kMostDictionary = std::size_t{32} << 20;

/// Reads a file's first frame beside the library, which skips it.
class DictionaryFrame {
 public:
  /// Some more bytes of the frame.
  void add(std::span<const char> bytes) {
    if (!may_be_) return;
    const std::size_t compared = std::min(frame_.size() + bytes.size(), kDictionaryFrame.size());
    for (std::size_t i = frame_.size(); i < compared; ++i)
      may_be_ = may_be_ && bytes[i - frame_.size()] == kDictionaryFrame[i];
    may_be_ = may_be_ && frame_.size() + bytes.size() <= kFrameHeader + kMostDictionary;
    if (may_be_) {
      frame_.insert(frame_.end(), bytes.begin(), bytes.end());
    } else {
      frame_ = {};
    }
  }

  /// At the frame's end: the dictionary is what `context` decodes all others with. Returns why it
  /// cannot, null if it can, or if the frame holds something else.
  const char* load_into(ZSTD_DCtx* context) {
    const std::vector<char> frame = std::move(frame_);
    const bool whole = may_be_ && frame.size() >= kFrameHeader;
    may_be_ = false;
    if (!whole) return nullptr;
    const std::string_view content =
        std::string_view(frame.data(), frame.size()).substr(kFrameHeader);
    if (!content.starts_with(kFrame)) return load(context, content);
    const unsigned long long size = ZSTD_getFrameContentSize(content.data(), content.size());
    const bool known = size != ZSTD_CONTENTSIZE_UNKNOWN && size != ZSTD_CONTENTSIZE_ERROR;
    if (known && size > kMostDictionary) return kTooLarge;
    std::vector<char> dictionary(known ? static_cast<std::size_t>(size) : kMostDictionary);
    const std::size_t made =
        ZSTD_decompress(dictionary.data(), dictionary.size(), content.data(), content.size());
    if (ZSTD_isError(made) != 0) return ZSTD_getErrorName(made);
    return load(context, {dictionary.data(), made});
  }

 private:
  static constexpr const char* kTooLarge = "its dictionary has more than 32 MiB";

  static const char* load(ZSTD_DCtx* context, std::string_view dictionary) {
    if (!dictionary.starts_with(kDictionary)) return nullptr;
    ZSTD_DCtx_reset(context, ZSTD_reset_session_only);  // of no frame: between two of them
    const std::size_t status =
        ZSTD_DCtx_loadDictionary(context, dictionary.data(), dictionary.size());
    if (ZSTD_getErrorCode(status) == ZSTD_error_memory_allocation) throw std::bad_alloc();
    return ZSTD_isError(status) != 0 ? ZSTD_getErrorName(status) : nullptr;
  }

  bool may_be_ = true;
  std::vector<char> frame_;  ///< as far as it was read
};

/// The bytes that a frame's blocks look back for, of its first kWindowHeader bytes; 0 where those
/// do not tell.
constexpr std::size_t kWindowHeader = 18;
std::uint64_t window_of(std::string_view header) {
  constexpr std::size_t kDescriptor = 4;
  constexpr unsigned kOneSegment = 0x20;  // the window is the content
  if (header.size() < kDescriptor + 2) return 0;
  if ((static_cast<unsigned char>(header[kDescriptor]) & kOneSegment) != 0) {
    const unsigned long long size = ZSTD_getFrameContentSize(header.data(), header.size());
    return size == ZSTD_CONTENTSIZE_ERROR ? 0 : size;
  }
  const auto window = static_cast<unsigned char>(header[kDescriptor + 1]);
  const std::uint64_t least = std::uint64_t{1} << (10 + (window >> 3));
  return least + least / 8 * (window & 7U);
}

class ZstdDecoder final : public Decoder {
 public:
  ZstdDecoder() : context_(ZSTD_createDCtx()) {
    constexpr int kWindowLogMax = 28;  // 256 MiB, as xz has
    if (context_ == nullptr) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, kWindowLogMax);
  }
  ~ZstdDecoder() override { ZSTD_freeDCtx(context_); }
  ZstdDecoder(const ZstdDecoder&) = delete;
  ZstdDecoder& operator=(const ZstdDecoder&) = delete;

  const char* format() const noexcept override { return "zstd"; }
  void begin_stream() override {}  // at the end of a frame it expects another

  DecodeStep decode(std::span<const char> input, std::span<char> output) override {
    header_.append(input.data(), std::min(input.size(), kWindowHeader - header_.size()));
    ZSTD_inBuffer in{input.data(), input.size(), 0};
    ZSTD_outBuffer out{output.data(), output.size(), 0};
    const std::size_t status = ZSTD_decompressStream(context_, &out, &in);
    if (ZSTD_isError(status) != 0) {
      if (ZSTD_getErrorCode(status) == ZSTD_error_memory_allocation) throw std::bad_alloc();
      if (ZSTD_getErrorCode(status) == ZSTD_error_frameParameter_windowTooLarge)
        return {.memory_needed = std::max<std::uint64_t>(window_of(header_), 1)};
      return {in.pos, out.pos, false, ZSTD_getErrorName(status)};
    }
    const bool ended = status == 0;
    if (ended) header_.clear();
    if (is_first_) first_.add(input.first(in.pos));
    const char* const damage = is_first_ && ended ? first_.load_into(context_) : nullptr;
    is_first_ = is_first_ && !ended;
    return {in.pos, out.pos, ended, damage};
  }

 private:
  ZSTD_DCtx* context_;
  std::string header_;    ///< what the frame that is being read begins with
  bool is_first_ = true;  ///< that frame
  DictionaryFrame first_;
};

}  // namespace

std::unique_ptr<Decoder> zstd_decoder() {
  return std::make_unique<ZstdDecoder>();
}

}  // namespace crivo::input
