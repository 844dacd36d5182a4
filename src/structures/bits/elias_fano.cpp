// SPDX-License-Identifier: Apache-2.0
#include "structures/bits/elias_fano.hpp"

#include <algorithm>
#include <bit>

#include "base/arithmetic.hpp"
#include "structures/bits/packed.hpp"

namespace crivo::bits {
namespace {

constexpr std::uint64_t kSampleEvery = 128;

/// The sizes of a list's arrays, as its size and universe give them.
struct Shape {
  Shape(std::uint64_t size, std::uint64_t universe) {
    if (size == 0) return;
    low_bits = static_cast<unsigned>(std::bit_width(universe / size) - 1);
    low_bytes = padded_bytes(size * low_bits);
    high_words = base::div_ceil(size + ((universe - 1) >> low_bits) + 1, 64);
    samples = base::div_ceil(size, kSampleEvery);
  }
  unsigned low_bits = 0;
  std::uint64_t low_bytes = 0;
  std::uint64_t high_words = 0;
  std::uint64_t samples = 0;
};

/// Words on their way to a sink.
class BufferedWords {
 public:
  explicit BufferedWords(base::Sink& sink) : sink_(sink) {}

  void put(std::uint64_t word) {
    if (fields_.view().size() == kBytes) flush();
    fields_.u64(word);
  }
  void flush() { sink_.append(fields_.take()); }

 private:
  static constexpr std::size_t kBytes = std::size_t{1} << 15;

  base::Sink& sink_;
  base::FieldWriter fields_;
};

/// Writes the first of a list's arrays.
void write_low_bits(const EliasFano::Values& values, const Shape& shape, base::Sink& sink) {
  PackedSink low(sink, shape.low_bits);
  values([&](std::uint64_t value) { low.put(value & ((std::uint64_t{1} << shape.low_bits) - 1)); });
  low.finish();
}

}  // namespace

EliasFano::EliasFano(base::FieldReader& reader, std::uint64_t universe)
    : pages_(reader.checks()), size_(reader.u64()), universe_(universe) {
  if (size_ > universe_) reader.fail("lists more free values than there are values");
  const Shape shape(size_, universe_);
  low_bits_ = shape.low_bits;
  high_words_ = shape.high_words;
  const std::uint64_t used = base::div_ceil(size_ * low_bits_, 8);
  low_ = reader.take(used).data();
  reader.zeros(shape.low_bytes - used);
  high_ = reader.take(shape.high_words * 8).data();
  samples_ = reader.take(shape.samples * 8).data();
}

void EliasFano::write(std::span<const std::uint64_t> values, std::uint64_t universe,
                      base::Sink& sink) {
  write(
      values.size(), [&](const auto& use) { std::ranges::for_each(values, use); }, universe, sink);
}

void EliasFano::write(std::uint64_t size, const Values& values, std::uint64_t universe,
                      base::Sink& sink) {
  const Shape shape(size, universe);
  BufferedWords words(sink);
  words.put(size);
  words.flush();
  if (size != 0) write_low_bits(values, shape, sink);

  std::uint64_t written = 0;  // words
  std::uint64_t word = 0;
  const auto go_to = [&](std::uint64_t index) {
    for (; written < index; ++written, word = 0) words.put(word);
  };
  std::uint64_t i = 0;
  values([&](std::uint64_t value) {
    const std::uint64_t place = (value >> shape.low_bits) + i++;
    go_to(place / 64);
    word |= std::uint64_t{1} << (place % 64);
  });
  go_to(shape.high_words);

  i = 0;
  values([&](std::uint64_t value) {
    if (i % kSampleEvery == 0) words.put((value >> shape.low_bits) + i);
    ++i;
  });
  words.flush();
}

std::uint64_t EliasFano::operator[](std::uint64_t index) const noexcept {
  if (index >= size_) return 0;
  pages_.touch(samples_ + index / kSampleEvery * 8, 8);
  pages_.touch(low_ + index * low_bits_ / 8, 8);
  const auto start = base::load_le<std::uint64_t>(samples_ + index / kSampleEvery * 8);
  std::uint64_t word_index = start / 64;
  if (word_index >= high_words_) return 0;
  pages_.touch(high_ + word_index * 8, 8);
  std::uint64_t left = index % kSampleEvery;  // ones to pass over
  std::uint64_t word =
      base::load_le<std::uint64_t>(high_ + word_index * 8) & (~std::uint64_t{0} << (start % 64));
  std::uint64_t sums = running_ones(word);
  while (sums >> 56 <= left) {
    left -= sums >> 56;
    if (++word_index >= high_words_) return 0;
    pages_.touch(high_ + word_index * 8, 8);
    word = base::load_le<std::uint64_t>(high_ + word_index * 8);
    sums = running_ones(word);
  }
  const std::uint64_t high = word_index * 64 + select_one(word, sums, left) - index;
  const std::uint64_t value = high << low_bits_ | load_bits(low_, index * low_bits_, low_bits_);
  return std::min(value, universe_ - 1);
}

void EliasFano::prefetch(std::uint64_t index) const noexcept {
  if (index >= size_) return;
  __builtin_prefetch(samples_ + index / kSampleEvery * 8);
  __builtin_prefetch(low_ + index * low_bits_ / 8);
}

void EliasFano::prefetch_high(std::uint64_t index) const noexcept {
  if (index >= size_) return;
  const auto start = base::load_le<std::uint64_t>(samples_ + index / kSampleEvery * 8);
  // About as many ones are passed over as there are zeros between them.
  const std::uint64_t word_index = start / 64 + index % kSampleEvery / 32;
  if (word_index < high_words_) __builtin_prefetch(high_ + word_index * 8);
}

}  // namespace crivo::bits
