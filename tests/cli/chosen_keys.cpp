// SPDX-License-Identifier: Apache-2.0
/// Keys of 8 bytes that are chosen by their hashes, on standard output. HASH is xxh3 (under seed 0)
/// or xxh64.
///
///     chosen_keys HASH low|cellsB|spaced FIRST COUNT   from number FIRST on, key i has the `hi`
///         i; i as dealt out to 2^B cells, in which keys lie close together; i times 2^46
///     chosen_keys HASH like < LINES                    a key for each line, with the line's `hi`
#include "support/chosen_keys.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "hashing/key_hash.hpp"

namespace {

using namespace crivo;

void write_key(bool is_xxh3, std::uint64_t hi) {
  std::byte key[8];
  base::store_le(key, is_xxh3 ? test::key_with_hi(hi) : test::key_with_xxh64(hi));
  std::fwrite(key, 1, sizeof key, stdout);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3 && count != 5) return 2;
  const bool is_xxh3 = std::string_view(arguments[1]) == "xxh3";
  const std::string_view spread = arguments[2];
  if (spread == "like") {
    for (std::string line; std::getline(std::cin, line);)
      write_key(is_xxh3, is_xxh3 ? detail::first_half(line, std::uint64_t{0})
                                 : hashing::xxh64(std::string_view(line)));
  } else {
    const std::uint64_t first = std::strtoull(arguments[3], nullptr, 10);
    const std::uint64_t end = first + std::strtoull(arguments[4], nullptr, 10);
    const int bits = spread.starts_with("cells") ? std::atoi(arguments[2] + 5) : 0;
    for (std::uint64_t i = first; i != end; ++i)
      write_key(is_xxh3, bits != 0            ? i << (64 - bits) | i >> bits
                         : spread == "spaced" ? i << 46
                                              : i);
  }
  return std::fclose(stdout) == 0 ? 0 : 1;
}
