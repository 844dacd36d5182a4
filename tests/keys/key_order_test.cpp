#include "keys/key_order.hpp"

#include <gtest/gtest.h>

#include <unordered_map>

#include "keys/input_files.hpp"

namespace crivo::keys {
namespace {

/// The places by an order asked in blocks of `block`, as against the keys in `text_keys`, whose
/// repeats do not count.
void expect_places(const Strings& text_keys, DuplicatePolicy duplicates, std::uint64_t block) {
  const InputFiles files;
  std::string text;
  std::unordered_map<std::string, std::uint64_t> expected;
  for (const std::string& key : text_keys) {
    text += key + "\n";
    expected.emplace(key, expected.size());
  }
  Progress progress;
  const HashedKeys hashed =
      hash_numbered_keys({{files.write("keys", text)}, {}},
                         {.duplicates = duplicates, .temp_dir = files.path()}, {2, progress});
  ASSERT_EQ(hashed.hashes.size(), expected.size());
  std::unordered_map<std::uint64_t, std::uint64_t> by_hash;
  for (const auto& [key, place] : expected) by_hash.emplace(hash_key(key, hashed.seed).lo, place);
  const auto hashes = hashed.hashes.partition(0, 0);
  const KeyOrder order(hashed);
  std::vector<std::uint64_t> places(hashes.size());
  for (std::uint64_t i = 0; i < places.size(); i += block) {
    order.copy(i, std::span(places).subspan(i, std::min(block, places.size() - i)));
  }
  for (std::uint64_t i = 0; i < places.size(); ++i) {
    ASSERT_EQ(places[i], by_hash.at(hashes[i].lo)) << i;
  }
}

TEST(KeyOrder, IsThatOfTheInput) {
  for (const std::uint64_t n : {0U, 1U, 2U, 63U, 64U, 65U, 11'500U}) {
    Strings keys;
    for (std::uint64_t i = 0; i < n; ++i) keys.push_back("k" + std::to_string(i * 7919 % 100'003));
    expect_places(keys, DuplicatePolicy::refuse, 100);
    expect_places(keys, DuplicatePolicy::ignore, 1000);
  }
}

TEST(KeyOrder, CountsTheFirstOfRepeats) {
  Strings keys;
  for (std::uint64_t i = 0; i < 20'000; ++i) keys.push_back("k" + std::to_string(i * i % 9'973));
  for (const std::uint64_t block : {1U, 64U, 50'000U}) {
    expect_places(keys, DuplicatePolicy::ignore, block);
    expect_places(keys, DuplicatePolicy::ignore_hashes, block);
  }
  expect_places({"a", "a"}, DuplicatePolicy::ignore, 1);
}

}  // namespace
}  // namespace crivo::keys
