// SPDX-License-Identifier: Apache-2.0
#include "input/stream_starts.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "input/decoder.hpp"

namespace crivo::input {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kScanBytes = std::size_t{1} << 20;
/// So much decoded without damage is no accident.
constexpr std::uint64_t kTrialBytes = std::uint64_t{1} << 16;

/// Whether a stream begins at `at`, where its first bytes do.
bool decodes_from(const InputFile& file, Compression compression, std::uint64_t at) {
  const std::unique_ptr<Decoder> decoder =
      compression == Compression::gzip ? gzip_decoder() : zstd_decoder();
  decoder->begin_stream();
  std::vector<char> input(kTrialBytes);
  std::vector<char> output(kTrialBytes);
  std::uint64_t made = 0;
  while (made < kTrialBytes) {
    const std::size_t got = file.read_at(at, input);
    at += got;
    std::span<const char> rest = std::span<const char>(input).first(got);
    do {
      const DecodeStep step = decoder->decode(rest, output);
      if (step.damage != nullptr) return false;
      if (step.ended || step.memory_needed != 0) return true;
      rest = rest.subspan(step.taken);
      made += step.made;
      if (step.taken == 0 && step.made == 0) break;
    } while (made < kTrialBytes);
    if (got == 0) return true;  // cut short, which its reader will say
  }
  return true;
}

}  // namespace

std::uint64_t next_stream(const InputFile& file, Compression compression, std::uint64_t from,
                          std::uint64_t most) {
  const std::string_view magic =
      compression == Compression::gzip ? "\x1f\x8b\x08"sv : "\x28\xb5\x2f\xfd"sv;
  std::vector<char> room(kScanBytes);
  const std::uint64_t end = from + std::min(most, file.size() - std::min(from, file.size()));
  while (from < end) {
    const std::size_t got = file.read_at(from, room);
    const std::string_view bytes(room.data(), got);
    for (std::size_t at = bytes.find(magic); at != std::string_view::npos;
         at = bytes.find(magic, at + 1)) {
      if (decodes_from(file, compression, from + at)) return from + at;
    }
    if (got < room.size()) break;
    from += got - (magic.size() - 1);
  }
  return file.size();
}

}  // namespace crivo::input
