// SPDX-License-Identifier: Apache-2.0
#include "build/sort_numbers.hpp"

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/error.hpp"
#include "stream/number_parts.hpp"

namespace crivo::index {
namespace {

constexpr std::size_t kNumberKeyBytes = sizeof(std::uint64_t);
constexpr unsigned kNumberBits = 64;

/// The number whose order is that of the key's bytes.
std::uint64_t number_of(std::string_view key) {
  if (key.size() != kNumberKeyBytes)
    throw Error(ErrorKind::bad_input, "a key of " + std::to_string(key.size()) + " bytes, not 8");
  return __builtin_bswap64(base::load_le<std::uint64_t>(key.data()));
}

std::array<char, kNumberKeyBytes> key_of(std::uint64_t number) noexcept {
  std::array<char, kNumberKeyBytes> key{};
  base::store_le(key.data(), __builtin_bswap64(number));
  return key;
}

/// What a thread sorts some numbers in, and writes them to.
struct NumberRoom {
  std::vector<std::uint64_t> numbers;
  std::vector<std::uint64_t> spare;
  std::vector<char> text;
  std::size_t bytes = 0;
  std::vector<std::uint32_t> sizes;  ///< of what is written, where they are wanted
  std::uint64_t written = 0;
};

void write_numbers(const KeyText& text, NumberRoom& room) {
  const std::size_t count = room.numbers.size();
  const std::uint64_t most = text.most_bytes({count, count * kNumberKeyBytes});
  if (room.text.size() < most) room.text.resize(most);
  room.sizes.clear();
  room.written = 0;
  char* to = room.text.data();
  for (std::size_t i = 0; i != count;) {
    std::size_t past = i + 1;
    if (text.once()) {
      while (past != count && room.numbers[past] == room.numbers[i]) ++past;
    }
    const auto key = key_of(room.numbers[i]);
    char* const begin = to;
    to = text.write(to, {}, {key.data(), key.size()}, past - i);
    if (text.lists_sizes()) room.sizes.push_back(static_cast<std::uint32_t>(to - begin));
    ++room.written;
    i = past;
  }
  room.bytes = static_cast<std::size_t>(to - room.text.data());
}

}  // namespace

NumbersWritten sort_numbers(const KeyInput& input, const KeyText& text, SortedFile& file,
                            std::uint64_t memory_bytes, const std::filesystem::path& temp_dir,
                            const base::BuildContext& context) {
  base::Scratch scratch(temp_dir, memory_bytes / 2, context.progress);
  const auto parts = std::make_unique<stream::NumberParts>(kNumberBits, scratch);
  NumbersWritten all;
  read_keys(input, context.progress, [&](const KeyBlock& block) {
    for (const std::string_view key : block.keys) parts->add(number_of(key));
    all.keys += block.keys.size();
  });
  context.progress.begin("sort", all.keys);
  stream::SortedNumbers<NumberRoom> sorted(context.threads, memory_bytes, scratch);
  sorted.for_each(
      *parts, [&](NumberRoom& room) { write_numbers(text, room); },
      [&](const NumberRoom& room) {
        file.append({room.text.data(), room.bytes}, room.sizes);
        all.written += room.written;
        context.progress.add(room.numbers.size());
      },
      [&](std::uint64_t number, std::uint64_t times) {
        const auto key = key_of(number);
        const std::uint64_t written = file.append_repeated(text, {key.data(), key.size()}, times);
        all.written += written;
        context.progress.add(times);
      });
  all.temp_bytes = scratch.temp_bytes();
  return all;
}

}  // namespace crivo::index
