// SPDX-License-Identifier: Apache-2.0
// What batches are given: one place for each key, and nothing that is gone when they run.

#include <gtest/gtest.h>

#include <array>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crivo/build/build.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/filter.hpp"
#include "crivo/map.hpp"
#include "crivo/mphf.hpp"
#include "crivo/store.hpp"
#include "index/key_sets.hpp"
#include "support/errors.hpp"

namespace crivo {
namespace {

using test::error_of;
using test::Keys;
using test::numbered_keys;
using test::Workshop;

// Of a temporary, nothing would be left when the build reads it.
template <typename... Given>
concept KeysIn = requires(Given&&... given) {
  keys_in(std::forward<Given>(given)...);
};
template <typename... Given>
concept ValuesIn = requires(Given&&... given) {
  values_in(std::forward<Given>(given)...);
};
template <typename... Given>
concept RecordsIn = requires(Given&&... given) {
  records_in(std::forward<Given>(given)...);
};
using Values = std::vector<std::uint64_t>;
static_assert(KeysIn<Keys&> && KeysIn<const Keys&> && KeysIn<std::list<std::string>&>);
static_assert(!KeysIn<Keys> && !KeysIn<const Keys> && !KeysIn<std::list<std::string>>);
static_assert(ValuesIn<Keys&, Values&> && ValuesIn<const Keys&, std::span<const std::uint64_t>>);
static_assert(!ValuesIn<Keys, Values&> && !ValuesIn<Keys&, Values> && !ValuesIn<Keys, Values>);
static_assert(RecordsIn<Keys&, const Keys&>);
static_assert(!RecordsIn<Keys, Keys&> && !RecordsIn<Keys&, Keys> && !RecordsIn<Keys, Keys>);

/// Room of each size but the right one is refused, before anything is written into it.
template <typename Value, typename Batch>
void expect_refused(std::size_t keys, Value untouched, const Batch& batch) {
  for (const std::size_t places : {std::size_t{0}, keys - 1, keys + 1}) {
    const auto room = std::make_unique<Value[]>(keys + 1);
    std::fill_n(room.get(), keys + 1, untouched);
    const std::string said =
        error_of(ErrorKind::usage, [&] { batch(std::span(room.get(), places)); });
    EXPECT_NE(said.find(std::to_string(keys) + " keys"), std::string::npos) << said;
    for (std::size_t i = 0; i < places; ++i) EXPECT_EQ(room[i], untouched);
  }
}

class Batches : public testing::Test {
 protected:
  Batches() {
    for (const std::string_view view : views_) bytes_.push_back(std::as_bytes(std::span(view)));
  }

  /// Calls ask(keys) for every form of keys but hashes.
  template <typename Ask>
  void for_each_form(const Ask& ask) const {
    ask(std::span<const std::string_view>(views_));
    ask(std::span<const std::span<const std::byte>>(bytes_));
    ask(std::span<const std::uint64_t>(numbers_));
    ask(keys_);
    ask(std::list<std::string>(keys_.begin(), keys_.end()));
  }

  const Workshop shop_;
  const Keys keys_ = numbered_keys(3);
  const std::vector<std::string_view> views_ = test::views(keys_);
  std::vector<std::span<const std::byte>> bytes_;
  const Values numbers_ = {1, 2, 3};
};

TEST_F(Batches, OfAnMphf) {
  build_mphf(keys_in(keys_), shop_.at("out"));
  const Mphf mphf = Mphf::open(shop_.at("out"));
  for_each_form([&](const auto& keys) {
    expect_refused<std::uint64_t>(3, 7, [&](auto room) { mphf.lookup(keys, room); });
  });
  std::vector<KeyHash> hashes(3);
  mphf.hash_function()(std::span(views_), hashes);
  expect_refused<std::uint64_t>(3, 7, [&](auto room) { mphf.lookup(hashes, room); });
  EXPECT_THROW(mphf.hash_function()(std::span(views_), std::span(hashes).first(2)), Error);
}

TEST_F(Batches, OfAFilter) {
  build_filter(keys_in(keys_), shop_.at("out"));
  const Filter filter = Filter::open(shop_.at("out"));
  for_each_form([&](const auto& keys) {
    expect_refused<bool>(3, false, [&](auto room) { filter.contains(keys, room); });
  });
  std::vector<KeyHash> hashes(3);
  filter.hash_function()(std::span(views_), hashes);
  expect_refused<bool>(3, false, [&](auto room) { filter.contains(hashes, room); });
}

TEST_F(Batches, OfAMap) {
  build_map(keys_in(keys_), shop_.at("out"));
  const Map map = Map::open(shop_.at("out"));
  std::array<std::uint64_t, 3> values{};
  std::array<bool, 3> present{};
  for_each_form([&](const auto& keys) {
    expect_refused<std::uint64_t>(3, 7, [&](auto room) { map.lookup(keys, room, present); });
    expect_refused<bool>(3, false, [&](auto room) { map.lookup(keys, values, room); });
  });
  std::vector<KeyHash> hashes(3);
  map.hash_function()(std::span(views_), hashes);
  expect_refused<std::uint64_t>(3, 7, [&](auto room) { map.lookup(hashes, room, present); });
}

TEST_F(Batches, OfAStoreByHashes) {
  build_store(records_in(keys_, keys_), shop_.at("out"));
  const Store store = Store::open(shop_.at("out"));
  Store::Reader reader(store);
  std::vector<KeyHash> hashes(4);
  store.hash_function()(std::span(views_), std::span(hashes).first(3));
  hashes[3] = hashes[0];
  const auto never = [](std::size_t, const Store::Answer&) { ADD_FAILURE() << "visited"; };
  for (const std::size_t given : {2, 4}) {
    const auto some = std::span<const KeyHash>(hashes).first(given);
    error_of(ErrorKind::usage, [&] { reader.find(std::span(views_), some, never); });
    error_of(ErrorKind::usage, [&] {
      reader.find(std::span<const std::span<const std::byte>>(bytes_), some, never);
    });
    error_of(ErrorKind::usage,
             [&] { reader.find(std::span<const std::uint64_t>(numbers_), some, never); });
  }
}

}  // namespace
}  // namespace crivo
