// SPDX-License-Identifier: Apache-2.0
// Damaged files of exact kinds, opened as by default: no answer is wrong, and none is "absent"
// where the key is there. (CRIVO_LONG=1: 20,000 damages of each kind.)
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <thread>

#include "base/arithmetic.hpp"
#include "crivo/build/edit.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/dictionary.hpp"
#include "crivo/exact.hpp"
#include "crivo/map.hpp"
#include "crivo/open.hpp"
#include "crivo/rows.hpp"
#include "crivo/store.hpp"
#include "index/key_sets.hpp"
#include "support/read_file.hpp"
#include "support/sizes.hpp"
#include "support/stores.hpp"

namespace crivo::test {
namespace {

bool is_long() {
  return std::getenv("CRIVO_LONG") != nullptr;
}

/// Keys that share little, in order.
Keys scattered_keys(std::uint64_t count, std::uint64_t salt) {
  Keys keys;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%016lx", base::mix64(2 * i + salt));
    keys.emplace_back(text.data());
  }
  std::ranges::sort(keys);
  return keys;
}

std::string record_of(const std::string& key) {
  return "the record of " + key + std::string(key.back() % 32, '.');
}

/// What became of a file's answers.
struct Tally {
  std::uint64_t refused = 0;  ///< files that were not opened
  std::uint64_t damaged = 0;  ///< answers
  std::uint64_t wrong = 0;    ///< answers, with "absent" for what is there
};

class Silence : public testing::Test {
 protected:
  /// A bit is flipped, a range made zero, or an end cut off.
  base::Bytes damaged(const base::Bytes& sound) {
    base::Bytes bytes = sound;
    const std::size_t at = random_() % bytes.size();
    switch (random_() % 8) {
      case 0:
        bytes.resize(at);
        break;
      case 1:
      case 2:
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                    std::min<std::size_t>(bytes.size() - at, 1 + random_() % 6000), std::byte{0});
        break;
      default:
        bytes[at] ^= static_cast<std::byte>(1U << random_() % 8);
    }
    return bytes;
  }

  /// Calls ask(tally) of a file at `path` that is damaged again and again, and sound in the end.
  void damage(const std::filesystem::path& path, const std::function<void(Tally&)>& ask) {
    const base::Bytes sound = read_file(path);
    Tally of_sound;
    for (const OpenMode mode : {OpenMode::read, OpenMode::mapped}) {
      options_.mode = mode;
      ASSERT_NO_THROW(ask(of_sound));
      ASSERT_EQ(of_sound.damaged + of_sound.wrong, 0U) << path;
    }
    for (turn_ = 0; turn_ < turns(); ++turn_) {
      options_.mode = turn_ % 2 == 0 ? OpenMode::mapped : OpenMode::read;
      const base::Bytes bytes = damaged(sound);
      std::filesystem::remove(path);  // what is open may be mapped
      std::ofstream(path, std::ios::binary) << base::as_text(bytes);
      const Tally before = tally_;
      try {
        ask(tally_);
      } catch (const Error& error) {
        ++tally_.refused;
        EXPECT_TRUE(error.kind() != ErrorKind::io && error.kind() != ErrorKind::usage)
            << error.what();
      }
      ASSERT_EQ(tally_.wrong, before.wrong) << path << ", turn " << turn_;
    }
    std::filesystem::remove(path);
    std::ofstream(path, std::ios::binary) << base::as_text(sound);
  }
  /// Has two threads ask(tally) of what is open, and cuts it short under them: at the end of a page
  /// when all was read before, inside of one when nothing was.
  void cut(const std::filesystem::path& path, bool was_read,
           const std::function<void(Tally&)>& ask) {
    guard_reads();
    if (was_read) ask(tally_);
    ASSERT_EQ(tally_.damaged + tally_.wrong, 0U);
    const base::Bytes sound = read_file(path);
    std::filesystem::resize_file(path, sound.size() / 8192 * 4096 + (was_read ? 0 : 100));
    std::array<Tally, 2> tallies;
    std::thread other([&] { ask(tallies[1]); });
    ask(tallies[0]);
    other.join();
    const bool is_kept = was_read && options_.mode == OpenMode::read && path != kept_nowhere_;
    for (const Tally& tally : tallies) {
      EXPECT_EQ(tally.wrong, 0U);
      EXPECT_EQ(tally.damaged == 0, is_kept);
    }
    ask(tally_);  // of zeros by now
    EXPECT_EQ(tally_.wrong, 0U);
    EXPECT_GE(tally_.damaged, tallies[0].damaged);
    tally_ = {};
    std::filesystem::remove(path);
    std::ofstream(path, std::ios::binary) << base::as_text(sound);
  }
  /// Calls test(was_read) in all ways that cut() is for.
  void for_each_cut(const std::function<void(bool was_read)>& test) {
    tally_ = {};
    for (const OpenMode mode : {OpenMode::mapped, OpenMode::read}) {
      options_.mode = mode;
      for (const bool was_read : {true, false}) test(was_read);
    }
  }
  /// Whether every answer is damaged then.
  bool is_lost() const { return options_.mode == OpenMode::mapped; }
  void expect_found() const {
    EXPECT_EQ(tally_.wrong, 0U);
    EXPECT_GT(tally_.damaged + tally_.refused, 0U);
    RecordProperty("damaged", std::to_string(tally_.damaged));
    RecordProperty("refused", std::to_string(tally_.refused));
  }

  std::uint64_t turns() const { return is_long() ? 20'000 / files_ + 1 : 100 / kFewer / slower_; }
  /// Where one that asks for each `step`th key begins, in this turn.
  std::size_t first(std::size_t step) const { return turn_ % step; }

  Workshop shop_;
  OpenOptions options_;                 ///< what is asked is opened by
  std::filesystem::path kept_nowhere_;  ///< of a file that is read again and again
  std::uint64_t files_ = 1;             ///< of this kind, that are damaged
  std::uint64_t slower_ = 1;            ///< so many times fewer turns, of what takes longer
  std::uint64_t turn_ = 0;
  std::mt19937_64 random_{7};
  Tally tally_;
};

// Dictionaries --------------------------------------------------------------------------------

class SilentDictionary : public Silence {
 protected:
  SilentDictionary() { files_ = 2; }

  void build(std::uint64_t count, const DictionaryOptions& options) {
    keys_ = scattered_keys(count, 0);
    others_ = scattered_keys(200, 1);
    Keys values;
    for (std::size_t i = 0; i < keys_.size(); ++i) values.push_back(std::to_string(i * i));
    KeyInput input = options.values ? shop_.pairs(keys_, values) : shop_.input(keys_);
    build_dictionary(input, {path_}, options, Workshop::options());
  }
  void ask(const Dictionary& dictionary, Tally& tally) const {
    const Keys& keys = keys_;
    std::vector<std::uint64_t> ids(keys.size());
    dictionary.lookup(keys, ids);
    for (std::size_t i = 0; i < keys.size(); ++i) count(ids[i], i, tally);
    for (const std::string& key : others_)
      count(dictionary.lookup(key), Dictionary::kAbsent, tally);
    std::string buffer(std::max<std::size_t>(dictionary.longest_key(), 1), '\0');
    for (std::size_t i = first(30); i < keys.size(); i += 30) {
      count(dictionary.lookup(keys[i]), i, tally);
      count(dictionary.lower_bound(keys[i] + "0"), i + 1, tally);
      const auto key = dictionary.key(i, buffer);
      if (!key) {
        ++tally.damaged;
      } else if (*key != keys[i]) {
        ++tally.wrong;
      }
      if (dictionary.has_values()) {
        const auto value = dictionary.value(i);
        tally.damaged += value ? 0 : 1;
        tally.wrong += value && *value != i * i ? 1 : 0;
      }
      const Dictionary::Range range = dictionary.prefix(keys[i]);
      if (range.is_damaged()) {
        ++tally.damaged;
      } else if (range.begin != i || range.size() != 1) {
        ++tally.wrong;
      }
      const Dictionary::Prefix prefix = dictionary.longest_prefix(keys[i] + "~");
      count(prefix.id, i, tally);
    }
    if (dictionary.has_hashed()) {
      dictionary.lookup_hashed(keys, ids);
      for (std::size_t i = 0; i < keys.size(); ++i) {
        count(ids[i], i, tally);
        if (i % 50 == first(50)) count(dictionary.lookup_hashed(keys[i]), i, tally);
      }
    }
    Dictionary::Cursor cursor(dictionary);
    std::size_t walked = 0;
    for (bool more = cursor.seek(""); more; more = cursor.next(), ++walked)
      tally.wrong += cursor.key() != keys[walked] ? 1 : 0;
    tally.damaged += cursor.is_damaged() ? 1 : 0;
    tally.wrong += !cursor.is_damaged() && walked != keys.size() ? 1 : 0;
  }

  std::filesystem::path path_ = shop_.at("dictionary");

 private:
  static void count(std::uint64_t id, std::uint64_t expected, Tally& tally) {
    if (id == Dictionary::kDamaged) {
      ++tally.damaged;
    } else if (id != expected) {
      ++tally.wrong;
    }
  }

  Keys keys_;
  Keys others_;
};

TEST_F(SilentDictionary, OfPages) {
  build(12'000, {.values = true, .hashed = true});
  damage(path_, [&](Tally& tally) { ask(Dictionary::open(path_, options_), tally); });
  expect_found();
}
TEST_F(SilentDictionary, OfOneChunk) {
  const Keys keys = scattered_keys(500, 0);
  const auto path = shop_.at("dictionary");
  build_dictionary(shop_.input(keys), {path}, {}, Workshop::options());
  damage(path, [&](Tally& tally) {
    const Dictionary dictionary = Dictionary::open(path, options_);
    for (std::size_t i = 0; i < keys.size(); ++i)
      tally.wrong += dictionary.lookup(keys[i]) != i ? 1 : 0;
  });
  EXPECT_GE(tally_.refused, turns() * 9 / 10);  // but where zeros were
}
TEST_F(SilentDictionary, CutShort) {
  build(12'000, {.values = true, .hashed = true});
  for_each_cut([&](bool was_read) {
    const Dictionary dictionary = Dictionary::open(path_, options_);
    cut(path_, was_read, [&](Tally& tally) { ask(dictionary, tally); });
    if (is_lost()) {
      EXPECT_EQ(dictionary.lookup("absent"), Dictionary::kDamaged);
    }
  });
}

// Maps ----------------------------------------------------------------------------------------

class SilentMap : public Silence {
 protected:
  SilentMap() { files_ = 7; }

  using ValueOf = std::uint64_t (*)(std::uint64_t i);

  void build(std::uint64_t count, MapOptions options, ValueOf value_of) {
    keys_ = scattered_keys(count, 0);
    Keys texts;
    for (std::uint64_t i = 0; i < count; ++i)
      texts.push_back(std::to_string(values_.emplace_back(value_of(i))));
    options.values = true;
    build_map(shop_.pairs(keys_, texts), {path_}, options, Workshop::options());
  }
  void test(std::uint64_t count, const MapOptions& options, ValueOf value_of) {
    build(count, options, value_of);
    damage(path_, [&](Tally& tally) { ask(Map::open(path_, options_), tally); });
    expect_found();
  }
  void ask(const Map& map, Tally& tally) const {
    const Keys& keys = keys_;
    std::vector<std::uint64_t> found(keys.size());
    const auto flags = std::make_unique<bool[]>(2 * keys.size());
    const std::span present(flags.get(), keys.size());
    const std::span damaged(flags.get() + keys.size(), keys.size());
    map.lookup(keys, found, present, damaged);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      tally.damaged += damaged[i] ? 1 : 0;
      tally.wrong += !damaged[i] && (!present[i] || found[i] != values_[i]) ? 1 : 0;
      if (i % 50 != first(50)) continue;
      const Map::Answer answer = map.lookup(keys[i]);
      tally.wrong += damaged[i] && !answer.is_damaged() ? 1 : 0;  // what is lost stays so
      tally.wrong += !answer.is_damaged() && answer != values_[i] ? 1 : 0;
    }
    if (std::ranges::find(damaged, true) == damaged.end()) return;
    EXPECT_NE(error_of(ErrorKind::corrupt, [&] { map.lookup(keys, found, present); })
                  .find("the bytes that tell a value fail their sums"),
              std::string::npos);
  }

  std::filesystem::path path_ = shop_.at("map");

 private:
  Keys keys_;
  std::vector<std::uint64_t> values_;
};

constexpr auto kScattered = [](std::uint64_t i) { return base::mix64(i) >> 20; };

TEST_F(SilentMap, Ribbon) {
  test(12'000, {.algorithm = "ribbon"}, kScattered);
}
TEST_F(SilentMap, RibbonWithSignatures) {
  test(60'000, {.algorithm = "ribbon", .signature_bits = 16},
       [](std::uint64_t i) { return i & 1; });
}
TEST_F(SilentMap, Fuse) {
  test(12'000, {.algorithm = "fuse"}, kScattered);
}
TEST_F(SilentMap, FuseOfBytes) {
  test(40'000, {.algorithm = "fuse", .signature_bits = 8}, [](std::uint64_t i) { return i % 256; });
}
TEST_F(SilentMap, Mwhc) {
  test(8'000, {.algorithm = "mwhc3"}, kScattered);
}
TEST_F(SilentMap, Coded) {  // most have one value, some a few others, and the rest escape
  test(60'000, {.algorithm = "ribbon", .compress = true}, [](std::uint64_t i) {
    return i % 2 != 0 ? 7 : i % 4 != 0 ? i % 64 : kScattered(i);
  });
}
TEST_F(SilentMap, OfOneChunk) {
  test(1'000, {.algorithm = "ribbon"}, kScattered);
}
TEST_F(SilentMap, CutShort) {
  build(12'000, {.algorithm = "ribbon"}, kScattered);
  for_each_cut([&](bool was_read) {
    const Map map = Map::open(path_, options_);
    cut(path_, was_read, [&](Tally& tally) { ask(map, tally); });
    if (is_lost()) {
      EXPECT_TRUE(map.lookup("any").is_damaged());
    }
  });
}

// Indexes of rows -----------------------------------------------------------------------------

class SilentRows : public Silence {};

TEST_F(SilentRows, OfPages) {
  const std::uint64_t count = 20'000 / static_cast<unsigned>(slower_);
  const Keys keys = scattered_keys(count, 0);
  Keys places;
  for (std::uint64_t i = 0; i < count; ++i)
    places.push_back("part-" + std::to_string(i % 300) + ".parquet\t" + std::to_string(i / 300));
  const std::filesystem::path path = shop_.at("rows");
  build_rows(shop_.pairs(keys, places), path, {}, Workshop::options());
  damage(path, [&](Tally& tally) {
    const Rows rows = Rows::open(path);
    std::vector<Rows::Answer> answers(keys.size());
    rows.lookup(keys, answers);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const Rows::Answer& answer = answers[i];
      const bool is_damaged = answer.status == Rows::Status::damaged;
      const bool is_right =
          answer && places[i] == std::string(answer->file) + '\t' + std::to_string(answer->row);
      tally.damaged += is_damaged ? 1 : 0;
      tally.wrong += !is_damaged && !is_right ? 1 : 0;
      if (i % 5 == 0) tally.wrong += rows.lookup(keys[i]).status != answer.status ? 1 : 0;
    }
  });
  expect_found();
}

// Exact sets ----------------------------------------------------------------------------------

class SilentExact : public Silence {
 protected:
  SilentExact() { files_ = 6; }

  /// Of groups, if there are any.
  void build(std::uint64_t count, std::uint64_t groups) {
    for (std::uint64_t i = 0; i < count; ++i) {
      keys_.push_back("key" + std::to_string(i));
      groups_.push_back("group" + std::to_string(i % std::max<std::uint64_t>(groups, 1)));
    }
    built_.grouped = groups != 0;
    build_exact(members(), universe(), {path_}, built_, Workshop::options());
  }
  void test(std::uint64_t count, std::uint64_t groups) {
    build(count, groups);
    damage_in(path_, path_);
    expect_found();
  }
  /// Damages one of the files that are looked up in when `opened` is.
  void damage_in(const std::filesystem::path& file, const std::filesystem::path& opened) {
    damage(file, [&](Tally& tally) { ask(Exact::open(opened, options_), tally); });
  }
  /// Some of the keys: there are many, since each takes but a bit.
  void ask(const Exact& exact, Tally& tally) const {
    std::vector<std::string_view> keys;
    std::vector<std::string_view> groups;
    std::vector<std::size_t> numbers;
    for (std::size_t i = flipped_ % 64; i < keys_.size(); i += 64) {
      numbers.push_back(i);
      keys.push_back(keys_[i]);
      groups.push_back(groups_[i]);
    }
    std::vector<ExactAnswer> answers(keys.size());
    if (exact.grouped()) {
      exact.contains(groups, keys, answers);
    } else {
      exact.contains(keys, answers);
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
      count(answers[i], numbers[i], tally);
      if (i % 50 != first(50)) continue;
      count(exact.group(groups[i]).contains(keys[i]), numbers[i], tally);
      count(exact.contains(groups[i], keys[i]), numbers[i], tally);
      if (!exact.grouped()) count(exact.contains(keys[i]), numbers[i], tally);
    }
  }
  KeyInput members() const {
    return input("members", [&](std::size_t i) { return is_member(i); });
  }
  KeyInput universe() const {
    return input("universe", [](std::size_t) { return true; });
  }

  std::filesystem::path path_ = shop_.at("set");
  std::uint64_t flipped_ = UINT64_MAX;  ///< what a delta changed
  ExactOptions built_;

 private:
  bool is_member(std::size_t i) const { return (base::mix64(i) % 2 == 1) != (i == flipped_); }
  KeyInput input(const std::string& name, const std::function<bool(std::size_t)>& has) const {
    std::string lines;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (!has(i)) continue;
      if (built_.grouped) (lines += groups_[i]) += '\t';
      (lines += keys_[i]) += '\n';
    }
    return shop_.write(name, lines, {});
  }

  void count(ExactAnswer answer, std::size_t i, Tally& tally) const {
    if (answer == ExactAnswer::damaged) {
      ++tally.damaged;
    } else if (answer != (is_member(i) ? ExactAnswer::member : ExactAnswer::other)) {
      ++tally.wrong;
    }
  }

  Keys keys_;
  Keys groups_;
};

TEST_F(SilentExact, OfOneFilter) {
  test(600'000, 0);
}
TEST_F(SilentExact, OfGroups) {
  test(600'000, 5);
  for_each_cut([&](bool was_read) {
    const Exact exact = Exact::open(path_, options_);
    cut(path_, was_read, [&](Tally& tally) { ask(exact, tally); });
    if (is_lost()) {
      EXPECT_EQ(exact.contains("no group", "key"), ExactAnswer::damaged);
    }
  });
}
TEST_F(SilentExact, OfOneChunk) {
  test(20'000, 0);
}
TEST_F(SilentExact, WithADelta) {
  slower_ = 4;
  build(600'000, 0);
  flipped_ = 4711;
  const auto delta = shop_.at("delta");
  build_delta(path_, members(), universe(), delta, {}, Workshop::options());
  apply_deltas(path_, {&delta, 1}, shop_.at("chain"), {});
  for (const auto& file : {path_, delta, shop_.at("chain")}) damage_in(file, shop_.at("chain"));
  expect_found();
}

// Stores --------------------------------------------------------------------------------------

class SilentStore : public Silence {
 protected:
  SilentStore() { files_ = 12; }

  std::filesystem::path build(std::uint64_t count, const StoreOptions& options) {
    keys_ = scattered_keys(count, 0);
    others_ = scattered_keys(count / 10, 1);
    records_.clear();
    for (const std::string& key : keys_) records_.push_back(record_of(key));
    const auto path = shop_.at("store");
    build_store(shop_.pairs(keys_, records_), {path}, options, Workshop::options());
    return path;
  }
  void test(std::uint64_t count, const StoreOptions& options) {
    const auto path = build(count, options);
    const auto ask = [&](Tally& tally) { this->ask(Store::open(path, options_), tally); };
    damage(path / index::kIndexName, ask);
    damage(data_file(path), ask);
    expect_found();
  }

  void ask(const Store& store, Tally& tally) const {
    Store::Reader reader(store);
    for (std::size_t i = first(9); i < others_.size(); i += 9)
      count(reader.find(others_[i]), nullptr, tally);
    const std::vector<std::string_view> views(keys_.begin(), keys_.end());
    reader.find(
        std::span<const std::string_view>(views),
        [&](std::size_t i, const Store::Answer& answer) { count(answer, &records_[i], tally); });
    for (std::size_t i = first(70); i < keys_.size(); i += 70)
      count(reader.find(keys_[i]), &records_[i], tally);
    store.find_all(
        std::span<const std::string_view>(views).first(views.size() / 32),
        [&](std::size_t i, const Store::Answer& answer) { count(answer, &records_[i], tally); }, 1);
    if (!store.is_ordered()) return;
    try {
      walk(store, tally);
    } catch (const Error& error) {  // the order cannot be told
      EXPECT_EQ(error.kind(), ErrorKind::corrupt);
      ++tally.damaged;
    }
  }

 private:
  void walk(const Store& store, Tally& tally) const {
    Store::Cursor cursor(store);
    std::size_t walked = 0;
    for (bool more = cursor.seek(""); more; more = cursor.next(), ++walked)
      tally.wrong += cursor.key() != keys_[walked] || cursor.record() != records_[walked];
    tally.damaged += cursor.is_damaged() ? 1 : 0;
    tally.wrong += !cursor.is_damaged() && walked != keys_.size() ? 1 : 0;
  }
  static void count(const Store::Answer& answer, const std::string* record, Tally& tally) {
    switch (answer.status) {
      case Store::Status::found:
        tally.wrong += record == nullptr || answer.record != *record ? 1 : 0;
        break;
      case Store::Status::absent:
        tally.wrong += record != nullptr ? 1 : 0;
        break;
      case Store::Status::damaged:
        ++tally.damaged;
    }
  }

  Keys keys_;
  Keys records_;
  Keys others_;
};

TEST_F(SilentStore, Flat) {
  test(18'000, {.backend = "flat"});
}
TEST_F(SilentStore, FlatOfTokens) {
  slower_ = 2;
  test(18'000, {.backend = "flat", .codec = "tokens16"});
}
TEST_F(SilentStore, FlatOfBlocks) {
  slower_ = 4;
  test(18'000, {.backend = "flat", .codec = "zstd"});
}
TEST_F(SilentStore, Lmdb) {
  slower_ = 2;
  test(40'000, {.backend = "lmdb", .codec = "none"});
}
TEST_F(SilentStore, Ordered) {
  test(12'000, {.backend = "flat", .ordered = true});
}
TEST_F(SilentStore, CutShort) {
  for (const bool ordered : {false, true}) {
    const auto path = build(18'000, {.backend = "flat", .ordered = ordered});
    kept_nowhere_ = data_file(path);
    for_each_cut([&](bool was_read) {
      for (const auto& file : {path / index::kIndexName, kept_nowhere_}) {
        const Store store = Store::open(path, options_);
        cut(file, was_read, [&](Tally& tally) { ask(store, tally); });
      }
    });
    std::filesystem::remove_all(path);
  }
}
TEST_F(SilentStore, OfOneChunk) {
  test(2'000, {.backend = "flat"});
}

}  // namespace
}  // namespace crivo::test
