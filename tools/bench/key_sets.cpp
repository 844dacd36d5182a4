// SPDX-License-Identifier: Apache-2.0
#include "bench/key_sets.hpp"

#include <algorithm>
#include <cstring>

#include "base/bytes.hpp"
#include "gen/permutation.hpp"

namespace crivo::bench {
namespace {

constexpr std::uint64_t kBlock = std::uint64_t{1} << 16;  // keys made at a time

}  // namespace

KeySet KeySet::generate(gen::Kind kind, std::uint64_t seed, std::uint64_t first,
                        std::uint64_t count) {
  const bool ints = kind == gen::Kind::ints;
  const auto generator = gen::make_generator(kind, seed, ints ? gen::Form::binary : gen::Form::nul);
  KeySet set;
  set.keys_.reserve(count);
  if (ints) set.numbers_.reserve(count);
  for (std::uint64_t done = 0; done < count; done += kBlock) {
    std::string block;
    generator->append_block(first + done, std::min(kBlock, count - done), block);
    if (ints) {
      for (std::size_t at = 0; at < block.size(); at += sizeof(std::uint64_t)) {
        set.numbers_.push_back(base::load_le<std::uint64_t>(block.data() + at));
      }
      continue;
    }
    block.shrink_to_fit();
    const std::string& text = set.texts_.emplace_back(std::move(block));
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\0', begin);
      set.keys_.push_back({text.data() + begin, end - begin});
      begin = end + 1;
    }
  }
  set.point_at_numbers();
  return set;
}

KeySet KeySet::sample(std::uint64_t count, std::uint64_t seed) const {
  KeySet drawn;
  if (size() == 0) return drawn;
  const gen::Permutation permuted(size(), seed);
  drawn.keys_.reserve(count);
  if (!numbers_.empty()) {
    drawn.numbers_.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) drawn.numbers_.push_back(numbers_[permuted(i)]);
    drawn.point_at_numbers();
    return drawn;
  }
  for (std::uint64_t i = 0; i < count; ++i) drawn.keys_.push_back(keys_[permuted(i)]);
  std::string& text = drawn.texts_.emplace_back(drawn.text_bytes(), '\0');
  char* p = text.data();
  for (crivo_bench_key& key : drawn.keys_) {
    std::memcpy(p, key.data, key.size);
    key.data = p;
    p += key.size;
  }
  return drawn;
}

void KeySet::point_at_numbers() {
  for (const std::uint64_t& number : numbers_) {
    keys_.push_back({reinterpret_cast<const char*>(&number), sizeof number});
  }
}

std::uint64_t KeySet::text_bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const crivo_bench_key& key : keys_) bytes += key.size;
  return bytes;
}

crivo_bench_keys KeySet::view(std::size_t begin, std::size_t count) const noexcept {
  const std::uint64_t* const numbers = numbers_.empty() ? nullptr : numbers_.data() + begin;
  return {count, keys_.data() + begin, numbers, nullptr, 0, 0};
}

KeySets make_key_sets(gen::Kind kind, std::uint64_t seed, std::uint64_t n, std::uint64_t present,
                      std::uint64_t absent) {
  KeySets sets;
  sets.set = KeySet::generate(kind, seed, 0, n);
  sets.present = sets.set.sample(present, seed);
  sets.absent = KeySet::generate(kind, seed, n, absent);
  return sets;
}

}  // namespace crivo::bench
