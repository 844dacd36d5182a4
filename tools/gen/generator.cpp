// SPDX-License-Identifier: Apache-2.0
#include "gen/generator.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "base/idle_pool.hpp"
#include "base/parallel.hpp"
#include "crivo/error.hpp"
#include "gen/permutation.hpp"
#include "gen/text.hpp"
#include "gen/urls.hpp"
#include "gen/words.hpp"

namespace crivo::gen {
namespace {

/// A bijection of all 64-bit integers: two rounds of a bijective mixer, keyed by the seed.
class Ints {
 public:
  static constexpr std::uint64_t kCapacity = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::size_t kRoom = 20 + kSlack;

  explicit Ints(std::uint64_t seed) noexcept
      : before_(derive(seed, 300)), between_(derive(seed, 301)) {}

  std::uint64_t value(std::uint64_t index) const noexcept {
    return base::mix64(base::mix64(index + before_) ^ between_);
  }
  char* write(std::uint64_t index, char* p) const noexcept {
    return write_decimal(p, value(index));
  }

 private:
  std::uint64_t before_;
  std::uint64_t between_;
};

class BinaryInts : public Ints {
 public:
  using Ints::Ints;
  char* write(std::uint64_t index, char* p) const noexcept {
    base::store_le<std::uint64_t>(p, value(index));
    return p + sizeof(std::uint64_t);
  }
};

class RoomyUrls : public Urls {
 public:
  static constexpr std::size_t kRoom = kMaxSize + kOverrun;
  using Urls::Urls;
};

class RoomyWords : public Words {
 public:
  static constexpr std::size_t kRoom = kMaxSize + kSlack;
  using Words::Words;
};

/// Keys of a `Keys` and, if so wished, a delimiter after each.
template <typename Keys>
class KeyGenerator final : public Generator {
 public:
  KeyGenerator(std::uint64_t seed, std::string_view delimiter)
      : keys_(seed), delimiter_(delimiter) {}

  std::uint64_t capacity() const noexcept override { return Keys::kCapacity; }

 private:
  void append_valid_block(std::uint64_t first, std::uint64_t count,
                          std::string& out) const override {
    std::array<char, 16384> buffer;
    char* p = buffer.data();
    char* const full = buffer.data() + buffer.size() - (Keys::kRoom + 1);
    for (std::uint64_t index = first; index != first + count; ++index) {
      p = keys_.write(index, p);
      p = write_text(p, delimiter_);
      if (p > full) {
        out.append(buffer.data(), p);
        p = buffer.data();
      }
    }
    out.append(buffer.data(), p);
  }

  Keys keys_;
  std::string_view delimiter_;
};

}  // namespace

void Generator::check_range(std::uint64_t first, std::uint64_t count) const {
  if (first > capacity() || count > capacity() - first) {
    throw Error(ErrorKind::usage, "gen: keys " + std::to_string(first) + " to " +
                                      std::to_string(first) + " + " + std::to_string(count) +
                                      " asked for, but the sequence has only " +
                                      std::to_string(capacity()) + " keys; take fewer");
  }
}

void Generator::append_block(std::uint64_t first, std::uint64_t count, std::string& out) const {
  check_range(first, count);
  append_valid_block(first, count, out);
}

std::unique_ptr<Generator> make_generator(Kind kind, std::uint64_t seed, Form form) {
  if (form == Form::binary) {
    if (kind != Kind::ints) {
      throw Error(ErrorKind::usage, "gen: only ints have a binary form; leave it out");
    }
    return std::make_unique<KeyGenerator<BinaryInts>>(seed, "");
  }
  const std::string_view delimiter =
      form == Form::nul ? std::string_view("\0", 1) : std::string_view("\n");
  switch (kind) {
    case Kind::urls:
      return std::make_unique<KeyGenerator<RoomyUrls>>(seed, delimiter);
    case Kind::words:
      return std::make_unique<KeyGenerator<RoomyWords>>(seed, delimiter);
    case Kind::ints:
      break;
  }
  return std::make_unique<KeyGenerator<Ints>>(seed, delimiter);
}

void generate(const Generator& generator, std::uint64_t first, std::uint64_t count,
              unsigned threads, const TakeBlock& take) {
  constexpr std::uint64_t kBlockKeys = 4096;
  generator.check_range(first, count);
  base::IdlePool<std::string> blocks([] { return std::make_unique<std::string>(); });
  const auto size_of = [&](std::uint64_t block) {
    return std::min(kBlockKeys, count - block * kBlockKeys);
  };
  base::parallel_ordered(
      base::thread_count(threads), base::div_ceil(count, kBlockKeys),
      [&](std::uint64_t block) {
        auto bytes = blocks.take();
        bytes->clear();
        generator.append_block(first + block * kBlockKeys, size_of(block), *bytes);
        return bytes;
      },
      [&](std::uint64_t block, const auto& bytes) { take(*bytes, size_of(block)); });
}

}  // namespace crivo::gen
