// SPDX-License-Identifier: Apache-2.0
/// A store with updates, whose file of updates a test or fuzzer damages: the same whenever it is
/// made, so that one's updates fit another's store.
#pragma once

#include <xxhash.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "crivo/build.hpp"
#include "crivo/error.hpp"
#include "crivo/inspect.hpp"
#include "crivo/store.hpp"
#include "records/lmdb_page.hpp"
#include "records/updates/update_entry.hpp"

namespace crivo::fuzz {

class UpdatedStore {
 public:
  static constexpr std::size_t kKeys = 200;

  /// Makes it as `directory`/store, of some commits: a value in pages of its own among them, and
  /// pages that can be used again. The updates are shorter than what fuzzers are given at most.
  explicit UpdatedStore(const std::filesystem::path& directory) : path_(directory / "store") {
    std::ofstream pairs(directory / "pairs");
    for (std::size_t i = 0; i < kKeys; ++i) pairs << key(i) << "\tbuilt\n";
    pairs.close();
    BuildOptions options;
    options.resources.threads = 1;
    options.replace = true;
    build_store({{(directory / "pairs").string()}, {}}, path_, {}, options);
    Store::Writer writer(path_);
    for (int round = 0; round < 2; ++round) {
      for (std::size_t i = 0; i < kKeys; i += 2) {
        writer.set(key(i), std::string(i == 80 ? 3000 : 20, static_cast<char>('a' + round)));
      }
      for (std::size_t i = 1; i < kKeys; i += 40) writer.remove(key(i));
      writer.commit();
    }
    for (const auto& file : std::filesystem::directory_iterator(path_)) {
      const std::string name = file.path().filename();
      if (name.starts_with("updates-") && name.ends_with(".mdb")) updates_ = file.path();
    }
  }

  static std::string key(std::size_t i) { return "key " + std::to_string(i); }
  const std::filesystem::path& path() const noexcept { return path_; }
  const std::filesystem::path& updates() const noexcept { return updates_; }
  /// Gives the updates other bytes, in a file of their own: a process has each open but once.
  /// Without bytes there are no updates.
  void put(base::ByteView bytes) const {
    std::filesystem::remove(updates_);
    std::filesystem::remove(updates_.string() + "-lock");
    if (bytes.empty()) return;
    std::ofstream(updates_, std::ios::binary) << base::as_text(bytes);
  }

  /// Opens, asks, verifies and changes it. Throws std::logic_error where it is neither refused as
  /// damaged nor gives the same answers in every way of asking.
  void use() const {
    std::vector<std::string> mapped;
    std::vector<std::string> copied;
    refusable([&] { mapped = ask(OpenMode::mapped); });
    refusable([&] { copied = ask(OpenMode::copy); });
    expect(copied.empty() || copied == mapped);  // a copy refuses what a lookup says is damaged
    refusable([&] { (void)inspect(path_); });
    refusable([&] { verify(path_); });
    refusable([&] { change(); });
  }

 private:
  static void expect(bool holds) {
    if (!holds) throw std::logic_error("answers differ");
  }
  template <typename Use>
  static void refusable(Use&& use) {
    try {
      use();
    } catch (const Error& error) {
      // An entry whose checks were mended may be of another key than its rank has: bad input.
      expect(error.kind() == ErrorKind::corrupt || error.kind() == ErrorKind::too_new ||
             error.kind() == ErrorKind::bad_input);
    }
  }

  static std::string text(const Store::Answer& answer) {
    return std::to_string(static_cast<int>(answer.status)) + std::string(answer.record);
  }

  std::vector<std::string> ask(OpenMode mode) const {
    Store store = Store::open(path_, {mode});
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < kKeys; i += 3) keys.push_back(key(i));
    std::vector<std::string> answers;
    {
      Store::Reader reader(store);
      reader.find(
          keys, [&](std::size_t, const Store::Answer& answer) { answers.push_back(text(answer)); });
      for (std::size_t i = 0; i < keys.size(); ++i)
        expect(text(reader.find(keys[i])) == answers[i]);
    }
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    store.find_all(
        views,
        [&](std::size_t i, const Store::Answer& answer) { expect(text(answer) == answers[i]); }, 1);
    expect(!store.refresh());
    return answers;
  }

  void change() const {
    std::optional<Store> copied;
    refusable([&] { copied.emplace(Store::open(path_, {OpenMode::copy})); });
    const Store old = Store::open(path_);
    Store::Reader reader(old);
    const std::string before = text(reader.find(key(7)));
    {
      Store::Writer writer(path_);
      writer.set(key(7), std::string(9000, 'n'));
      writer.set(key(80), "n");
      (void)writer.remove(key(2));
      refusable([&] { writer.set(std::string((std::size_t{1} << 20) + 1, 'k'), "too long"); });
      writer.commit();
    }
    const Store store = Store::open(path_);
    expect(Store::Reader(store).find(key(7)).record.size() == 9000);
    expect(text(reader.find(key(7))) == before);
    if (!copied) return;
    expect(copied->refresh());
    expect(Store::Reader(*copied).find(key(7)).record.size() == 9000);
  }

  std::filesystem::path path_;
  std::filesystem::path updates_;
};

/// Makes the checks of the entries, and of the state that counts them, fit what they are now, as
/// far as a walk from the root finds them.
class UpdatesMender {
 public:
  static void mend(std::span<std::byte> bytes) { UpdatesMender(bytes).run(); }

 private:
  static constexpr std::size_t kPage = 4096;
  static constexpr int kMostPages = 1000;

  explicit UpdatesMender(std::span<std::byte> bytes) : bytes_(bytes) {}

  template <typename Int>
  Int at(std::size_t place) const {
    return base::load_le<Int>(bytes_.data() + place);
  }

  void run() {
    if (bytes_.size() < 2 * kPage) return;
    const std::size_t meta = at<std::uint64_t>(144) < at<std::uint64_t>(kPage + 144) ? kPage : 0;
    walk(at<std::uint64_t>(meta + 128));
    if (!state_) return;
    const auto state = bytes_.subspan(*state_, records::UpdateState::kSize);
    base::store_le(&state[40], totals_.entries);
    base::store_le(&state[48], totals_.removed);
    base::store_le(&state[56], totals_.sum);
    base::store_le(&state[64], XXH3_64bits(state.data(), 64));
  }

  void walk(std::uint64_t number) {
    if (number >= bytes_.size() / kPage || ++pages_ > kMostPages) return;
    const std::size_t page = number * kPage;
    const bool is_leaf = at<std::uint16_t>(page + 10) == records::lmdb::kLeafFlag;
    const std::size_t least = is_leaf ? 24 : 8;  // of a node: a branch's first has no key
    const std::size_t end = std::min<std::size_t>(at<std::uint16_t>(page + 12), kPage - 2);
    for (std::size_t i = 16; i < end; i += 2) {
      const std::size_t node = at<std::uint16_t>(page + i);
      if (node > kPage - least) continue;
      if (is_leaf) {
        mend_entry(page + node, page + kPage);
      } else {
        walk(at<std::uint16_t>(page + node) | std::uint64_t{at<std::uint16_t>(page + node + 2)}
                                                  << 16);
      }
    }
  }

  void mend_entry(std::size_t node, std::size_t page_end) {
    const std::size_t size = at<std::uint16_t>(node) | std::size_t{at<std::uint16_t>(node + 2)}
                                                           << 16;
    const auto rank = at<std::uint64_t>(node + 8);
    std::size_t begin = node + 16;
    std::size_t end = page_end;
    if (at<std::uint16_t>(node + 4) != 0) {
      const auto first = at<std::uint64_t>(begin);
      if (first >= bytes_.size() / kPage) return;
      begin = first * kPage + 16;
      end = bytes_.size();
    }
    if (end - begin < size) return;
    if (rank == records::kIdentityKey) {
      if (size == records::UpdateState::kSize) state_ = begin;
    } else if (size >= records::UpdateEntry::kFrontSize) {
      const auto value = bytes_.subspan(begin, size);
      base::store_le(value.data(), XXH3_64bits_withSeed(&value[8], size - 8, rank));
      totals_.add(value);
    }
  }

  std::span<std::byte> bytes_;
  int pages_ = 0;
  std::optional<std::size_t> state_;
  records::UpdateTotals totals_;
};

}  // namespace crivo::fuzz
