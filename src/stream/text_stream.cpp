// SPDX-License-Identifier: Apache-2.0
#include "stream/text_stream.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <string>
#include <utility>

#include "base/parallel.hpp"

namespace crivo::stream {
namespace {

/// The texts that are looked at for each piece of a piece that is divided, and the most bytes of
/// all of these.
constexpr std::uint64_t kSampleTexts = 32;
constexpr std::uint64_t kSampleBytes = std::uint64_t{8} << 20;

unsigned bits_for(std::size_t pieces) noexcept {
  return static_cast<unsigned>(std::bit_width(pieces - 1));
}

}  // namespace

TextStream::TextStream(TextStreamOptions options, TextSplitters splitters)
    : options_(std::move(options)),
      splitters_(std::move(splitters)),
      log_(options_.temp_dir, bits_for(pieces()), options_.threads, options_.memory_bytes),
      sizes_(options_.threads, Sizes{std::vector<Size>(pieces())}) {}

void TextStream::add(unsigned thread, std::string_view text) {
  const std::size_t piece = splitters_.piece_of(text);
  Size& size = sizes_[thread].of[piece];
  ++size.texts;
  size.bytes += text.size();
  if (splitters_.is_one_text(piece)) return;
  const std::string_view rest = text.substr(splitters_.shared(piece).size());
  const std::uint64_t number = piece == 0 ? 0 : std::uint64_t{piece} << (64 - log_.piece_bits());
  SortedTexts::write_entry(log_.add(thread, number, SortedTexts::entry_size(rest.size())).data(),
                           rest);
}

void TextStream::finish() {
  log_.finish(options_.threads);
  for (std::size_t thread = 1; thread != sizes_.size(); ++thread) {
    for (std::size_t piece = 0; piece != pieces(); ++piece) {
      const Size& more = sizes_[thread].of[piece];
      sizes_[0].of[piece].texts += more.texts;
      sizes_[0].of[piece].bytes += more.bytes;
    }
  }
  sizes_.resize(1);
}

std::uint64_t TextStream::texts() const noexcept {
  std::uint64_t all = 0;
  for (std::size_t piece = 0; piece != pieces(); ++piece) all += size(piece).texts;
  return all;
}

void TextStream::read(std::size_t piece, SortedTexts& to) const {
  to.clear();
  const RunLog::MakeRoom room = [&](std::size_t bytes) { return to.room(bytes); };
  for (std::size_t run = 0; run != log_.runs(); ++run)
    to.add(log_.read(run, piece, piece + 1, room));
  to.sort();
}

template <typename Visit>
void TextStream::for_each_run(std::size_t piece, const Visit& visit) const {
  base::parallel_with(options_.threads, log_.runs(), [&](unsigned thread) {
    return [&, thread, texts = SortedTexts()](std::size_t run) mutable {
      texts.clear();
      texts.add(
          log_.read(run, piece, piece + 1, [&](std::size_t bytes) { return texts.room(bytes); }));
      visit(thread, texts);
    };
  });
}

std::unique_ptr<TextStream> TextStream::split(std::size_t piece, std::size_t pieces,
                                              std::uint64_t memory_bytes) const {
  const auto whole = [&](std::string_view rest) { return std::string(shared(piece)).append(rest); };
  const Size& all = size(piece);
  constexpr std::uint64_t kLeastSampled = 4;  // however long
  const std::uint64_t step =
      std::max(std::uint64_t{1},
               std::min(all.texts / kLeastSampled,
                        std::max(all.texts / (kSampleTexts * pieces), all.bytes / kSampleBytes)));
  std::mutex mutex;
  std::vector<std::string> sample;
  // One in so many of all: a run may have fewer texts than a step.
  std::uint64_t next = (step - step / 2) % step;
  for_each_run(piece, [&](unsigned, const SortedTexts& texts) {
    const std::scoped_lock lock(mutex);
    for (; next < texts.size(); next += step) sample.push_back(whole(texts.rest(next)));
    next -= texts.size();
  });
  TextStreamOptions options = options_;
  options.memory_bytes = memory_bytes;
  auto stream = std::make_unique<TextStream>(
      options, TextSplitters::of_sample({sample.begin(), sample.end()}, pieces));
  for_each_run(piece, [&](unsigned thread, const SortedTexts& texts) {
    for (std::size_t i = 0; i != texts.size(); ++i) stream->add(thread, whole(texts.rest(i)));
  });
  return stream;
}

}  // namespace crivo::stream
