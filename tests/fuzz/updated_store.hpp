// SPDX-License-Identifier: Apache-2.0
/// A store with updates, whose file of updates a test or fuzzer damages: the same whenever it is
/// made, so that one's updates fit another's store.
#pragma once

#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <source_location>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "crivo/build/build.hpp"
#include "crivo/build/edit.hpp"
#include "crivo/error.hpp"
#include "crivo/inspect.hpp"
#include "crivo/store.hpp"
#include "hashing/crc32c.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/store_files.hpp"
#include "records/updates/update_log.hpp"

namespace crivo::fuzz {

/// Whose keys have an order, or are found by slots.
inline const StoreOptions kOrdered{.backend = "flat", .ordered = true};
inline const StoreOptions kFlat{.backend = "flat", .codec = "zstd"};

class UpdatedStore {
 public:
  static constexpr std::size_t kKeys = 200;

  /// Makes it as `directory`/`called`, of some commits: a long value among them, and runs that were
  /// merged. The updates are shorter than what fuzzers are given at most. Stores of two names have
  /// other records, and so other ids.
  explicit UpdatedStore(const std::filesystem::path& directory, const std::string& called = "store",
                        const StoreOptions& store = {})
      : path_(directory / called) {
    std::ofstream pairs(directory / "pairs");
    for (std::size_t i = 0; i < kKeys; ++i) pairs << key(i) << "\tbuilt " << called << '\n';
    pairs.close();
    BuildOptions options;
    options.resources.threads = 1;
    options.replace = true;
    build_store({{(directory / "pairs").string()}, {}}, path_, store, options);
    Store::Writer writer(path_);
    for (int round = 0; round < 5; ++round) {
      for (std::size_t i = 0; i < kKeys; i += round == 3 ? 50 : 2) {
        writer.set(key(i), std::string(i == 80 ? 3000 : 20, static_cast<char>('a' + round)));
      }
      for (std::size_t i = 1; i < kKeys; i += 40) writer.remove(key(i));
      for (std::size_t i = 0; i < 9; ++i)
        writer.set(key(kKeys + 5 * static_cast<std::size_t>(round) + i), "added");
      writer.remove(key(kKeys + 2));
      writer.commit();
    }
    for (const auto& file : std::filesystem::directory_iterator(path_)) {
      const std::string name = file.path().filename();
      if (name.starts_with("updates-") && name.ends_with(".log")) updates_ = file.path();
    }
    find_alike();
  }

  static std::string key(std::size_t i) { return "key " + std::to_string(i); }
  const std::filesystem::path& path() const noexcept { return path_; }
  const std::filesystem::path& updates() const noexcept { return updates_; }
  /// Gives the updates other bytes, in a file of their own. Without bytes there are no updates.
  void put(base::ByteView bytes) const {
    std::filesystem::remove(updates_);
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
    expect(copied == mapped);
    refusable([&] { (void)inspect(path_); });
    refusable([&] { verify(path_); });
    refusable([&] { change(); });
  }

 private:
  static void expect(bool holds, std::source_location place = std::source_location::current()) {
    if (!holds) throw std::logic_error("not in line " + std::to_string(place.line()));
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

  /// Finds a new key that the index takes for one of the build, if it may.
  void find_alike() {
    const auto files = index::StoreFiles::open(path_, file::Loading::mapped);
    if (files.ranks.in_order != nullptr) return;
    const HashFunction hash = index::hash_function(files.index.header());
    for (std::size_t i = 0; alike_.empty(); ++i) {
      const std::string key = "alike " + std::to_string(i);
      const Hash128 its_hash = crivo::detail::HashAccess::raw(hash, key);
      const std::uint64_t rank = files.ranks.lookup(key, its_hash);
      if (rank != index::RankIndex::kAbsent && files.sealed->may_hold(rank, its_hash.hi))
        alike_ = key;
    }
  }

  static std::string text(const Store::Answer& answer) {
    return std::to_string(static_cast<int>(answer.status)) + std::string(answer.record);
  }

  std::vector<std::string> ask(OpenMode mode) const {
    Store store = Store::open(path_, {mode});
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < kKeys + 40; i += 3) keys.push_back(key(i));
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
    if (store.is_ordered()) {
      Store::Cursor cursor(store);
      for (bool more = cursor.seek(0); more; more = cursor.next())
        answers.push_back(std::string(cursor.key()) + std::string(cursor.record()));
      answers.push_back(std::to_string(cursor.rank()) + std::to_string(store.lower_bound(key(7))));
    }
    expect(!store.refresh());
    return answers;
  }

  void change() const {
    std::optional<Store> copied;
    refusable([&] { copied.emplace(Store::open(path_, {OpenMode::copy})); });
    Store old = Store::open(path_);
    std::optional<Store::Reader> reader(old);
    const std::string before = text(reader->find(key(7)));
    const std::string untouched = text(reader->find(key(9)));
    {
      Store::Writer writer(path_);
      writer.commit();  // of nothing
      writer.set(key(7), "not this one");
      writer.set(key(7), std::string(9000, 'n'));
      writer.set(key(80), "n");
      writer.set(key(kKeys + 100), "new");
      if (!alike_.empty()) writer.set(alike_, "new");
      (void)writer.remove(key(2));
      refusable([&] { writer.set(std::string((std::size_t{1} << 20) + 1, 'k'), "too long"); });
      writer.commit();
      writer.set(key(9), "dropped");
    }
    {
      const Store store = Store::open(path_);
      Store::Reader now(store);
      expect(now.find(key(7)).record.size() == 9000);
      expect(text(now.find(key(9))) == untouched);
      if (!alike_.empty()) {
        // Damaged where the other's update is.
        const Store::Answer answer = now.find(alike_);
        expect(answer.status == Store::Status::damaged || answer.record == "new");
      }
    }
    expect(text(reader->find(key(7))) == before);
    reader.reset();
    expect(old.refresh());
    if (copied) {
      expect(copied->refresh());
      expect(Store::Reader(*copied).find(key(7)).record.size() == 9000);
    }
    change_many();
  }

  /// By a writer that has no room for all that it knows of the keys.
  void change_many() const {
    constexpr std::uint64_t kMemory = 16 * 256;
    const std::filesystem::path pairs = path_.parent_path() / "pairs";
    {
      std::ofstream lines(pairs);
      for (std::size_t i = 100; i < kKeys + 30; ++i) lines << key(i) << "\tof many\n";
    }
    set_records(path_, {{pairs.string()}, {}}, {.resources = {.threads = 1, .memory = kMemory}});
    const Store store = Store::open(path_);
    Store::Reader reader(store);
    for (std::size_t i = 100; i < kKeys + 30; i += 13)
      expect(reader.find(key(i)).record == "of many");
  }

  std::filesystem::path path_;
  std::filesystem::path updates_;
  std::string alike_;  ///< empty where there is none
};

/// Makes all checks fit what they are of, as far as the slots lead to it: of units, pages, tables,
/// the record, the commits' heads and the slots.
class UpdatesMender {
 public:
  static void mend(std::span<std::byte> bytes) { UpdatesMender(bytes).run(); }

 private:
  explicit UpdatesMender(std::span<std::byte> bytes) : bytes_(bytes) {}

  std::uint64_t at(std::size_t place) const {
    return base::load_le<std::uint64_t>(bytes_.data() + place);
  }
  bool holds(std::uint64_t begin, std::uint64_t size) const {
    return begin <= bytes_.size() && size <= bytes_.size() - begin;
  }
  std::uint64_t check_of(std::uint64_t begin, std::uint64_t size) const {
    return XXH3_64bits(bytes_.data() + begin, size);
  }
  void put(std::uint64_t place, std::uint64_t value) { base::store_le(&bytes_[place], value); }

  void run() {
    for (const std::uint64_t slot : {std::uint64_t{0}, records::kSlotSpacing}) {
      if (holds(slot, records::LogSlot::kBytes) && at(slot) != 0) mend_slot(slot);
    }
    mend_heads();
  }

  void mend_slot(std::uint64_t slot) {
    const std::uint64_t begin = at(slot + 40);
    const std::uint64_t end = at(slot + 48);
    if (begin >= records::kLogFront && begin <= end && holds(begin, end - begin)) {
      const std::uint64_t runs = (end - begin) / records::CommitRecord::kRunBytes;
      for (std::uint64_t i = 0; i < std::min<std::uint64_t>(runs, kMostRuns); ++i) {
        const bool is_of_updates = holds(begin, 48) && i < at(begin + 40);
        mend_run(begin + records::CommitRecord::kFixedBytes + i * records::CommitRecord::kRunBytes,
                 is_of_updates);
      }
      put(slot + 56, check_of(begin, end - begin));
    }
    put(slot + 64, check_of(slot, 64));
  }

  void mend_run(std::uint64_t described, bool is_of_updates) {
    using records::RunPlace;
    if (!holds(described, records::CommitRecord::kRunBytes)) return;
    const RunPlace run{at(described), at(described + 8), 0};
    const std::uint64_t entry = is_of_updates ? RunPlace::kEntryBytes : RunPlace::kAddedBytes;
    const std::uint64_t row_bytes = is_of_updates ? RunPlace::kRowBytes : RunPlace::kAddedRowBytes;
    if (!run.fits(entry, row_bytes, bytes_.size(), bytes_.size())) return;
    const std::uint64_t table = run.begin + run.entries * entry;
    std::uint64_t row = table;
    for (std::uint64_t first = 0; first < run.entries; first += run.page_entries()) {
      const std::uint64_t page = run.begin + first * entry;
      const std::uint64_t entries = std::min(run.page_entries(), run.entries - first);
      for (std::uint64_t i = 0; is_of_updates && i < entries; ++i) mend_unit(page + i * entry);
      put(row + row_bytes - 8, check_of(page, entries * entry));
      row += row_bytes;
    }
    put(described + 16, check_of(table, row - table));
  }

  void mend_unit(std::uint64_t entry) {
    constexpr std::uint64_t kMask = (std::uint64_t{1} << 48) - 1;
    const std::uint64_t rank = at(entry) & kMask;
    const std::uint64_t place = at(entry + 4) >> 16;
    if (place == 0 || place >= bytes_.size()) return;
    base::ByteView rest = bytes_.subspan(place);
    std::uint32_t size = 0;
    if (!base::take_varint(rest, size) || size > rest.size() || size < 4) return;
    const std::uint64_t unit = bytes_.size() - rest.size();
    base::store_le(&bytes_[unit], hashing::crc32c()(rest.subspan(4, size - 4), rank));
  }

  void mend_heads() {
    for (std::uint64_t begin = records::kLogFront; holds(begin, kHead);) {
      const std::uint64_t length = at(begin + 8);
      if (length < kHead || !holds(begin, length)) return;
      put(begin + 24, check_of(begin + kHead, length - kHead));
      put(begin + 32, XXH3_64bits_withSeed(&bytes_[begin], 32, begin));
      begin += length;
    }
  }

  static constexpr std::uint64_t kHead = records::CommitHead::kBytes;
  static constexpr std::uint64_t kMostRuns = 8;

  std::span<std::byte> bytes_;
};

}  // namespace crivo::fuzz
