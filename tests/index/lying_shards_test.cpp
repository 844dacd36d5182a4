// SPDX-License-Identifier: Apache-2.0
/// Directories of dealt-out keys that do not hold what they say, with checksums that fit: every
/// build of a shard refuses them, or makes something of them that can be read.
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>

#include "crivo/build/shards.hpp"
#include "crivo/inspect.hpp"
#include "fuzz/mended_file.hpp"
#include "index/key_sets.hpp"
#include "shards/key_directory.hpp"
#include "support/read_file.hpp"
#include "support/sizes.hpp"

namespace crivo::test {
namespace {

using Path = std::filesystem::path;
using BuildPart = std::function<void(const Path& dealt, const Share& shard, const Path& part)>;

constexpr std::uint64_t kLyingShards = 2;

BuildOptions options(bool ignore_duplicates = false) {
  BuildOptions options = Workshop::options(1);
  options.ignore_duplicates = ignore_duplicates;
  return options;
}

BuildPart mphf(const MphfOptions& mphf) {
  return [=](const Path& dealt, const Share& shard, const Path& part) {
    build_mphf_part(dealt, shard, part, mphf, options());
  };
}
BuildPart filter(const FilterOptions& filter) {
  return [=](const Path& dealt, const Share& shard, const Path& part) {
    build_filter_part(dealt, shard, part, filter, options());
  };
}
BuildPart map(const MapOptions& map) {
  return [=](const Path& dealt, const Share& shard, const Path& part) {
    build_map_part(dealt, shard, part, map, options());
  };
}
BuildPart rows(const RowsOptions& rows) {
  return [=](const Path& dealt, const Share& shard, const Path& part) {
    build_rows_part(dealt, shard, part, rows, options());
  };
}
BuildPart filter_set(const FilterSetOptions& set) {
  return [=](const Path& dealt, const Share& shard, const Path& part) {
    build_filter_set_part(dealt, shard, part, set, options());
  };
}
BuildPart dictionary(const DictionaryOptions& dictionary) {
  return [=](const Path& dealt, const Share& shard, const Path& part) {
    build_dictionary_part(dealt, shard, part, dictionary, options());
  };
}
BuildPart store(const StoreOptions& store) {
  return [=](const Path& dealt, const Share& shard, const Path& part) {
    build_store_part(dealt, shard, part, store, options());
  };
}

/// A sound directory, and what can be built of it.
struct Dealt {
  Path path;
  std::vector<BuildPart> builds;
};

std::vector<BuildPart> builds_of_keys() {
  return {mphf({}),
          mphf({.algorithm = "tiny", .signature_bits = 8}),
          filter({}),
          filter({.type = "fuse"}),
          filter({.type = "bloom"}),
          filter({.type = "counting-bloom"}),
          filter({.type = "cuckoo"})};
}

/// 2,000 keys in two files, with numbers, values or records; and 40 keys.
class LyingShards : public testing::Test {
 protected:
  LyingShards() {
    deal("numbers", 1000, {}, false, builds_of_keys());
    dealt_.back().builds.push_back(map({}));
    dealt_.back().builds.push_back(map({.algorithm = "fuse", .signature_bits = 8}));
    deal("few", 20, {}, true, dealt_.back().builds);
    deal("xxh64", 1000, {.hash = "xxh64"}, false, {filter({.type = "split-block-bloom"})});
    deal("values", 1000, {.values = true}, false,
         {map({.values = true}), map({.values = true, .compress = true})});
    deal("repeats", 1000, {.values = true}, true, dealt_.back().builds);
    deal("texts", 500, {.texts = true}, false, {dictionary({}), mphf({})});
    deal("valued texts", 500, {.values = true, .texts = true}, true,
         {dictionary({.values = true}), map({.values = true})});
    deal("rows", 1000, {.rows = RowsOptions{}}, false, {rows({}), mphf({})});
    deal("repeated rows", 500, {.rows = RowsOptions{.fixed = 8}}, true, {rows({}), filter({})});
    deal("many rows", 1000, {.rows = RowsOptions{.many = true}}, false, {rows({})});
    deal("groups", 1000, {.filter_set = true}, true,
         {filter_set({}), filter_set({.type = "split-block-bloom"})});
    deal("records", 300, {.records = true}, false,
         {mphf({}), store({.codec = "zstd"}), store({.backend = "flat", .codec = "tokens12"})});
  }

  /// Two files of so many keys; with `repeats`, the last key of the first is the other's too.
  void deal(const std::string& name, int keys, PartitionOptions partition, bool repeats,
            std::vector<BuildPart> builds) {
    KeyInput input;
    for (int file = 0; file < 2; ++file) {
      std::string lines;
      for (int i = 0; i < keys; ++i) {
        const int key = file * (repeats ? keys - 1 : keys) + i;
        const bool numbers = partition.rows && partition.rows->fixed != 0;
        if (partition.filter_set) lines += "group " + std::to_string(key % 7) + '\t';
        lines += (numbers ? "" : "key ") + std::to_string(key);
        if (partition.rows)
          lines += "\tpart " + std::to_string(key % 7) + '\t' + std::to_string(key / 7);
        if (partition.values || partition.records) lines += '\t' + std::to_string(key % 7);
        lines += '\n';
      }
      const std::string file_name = name + std::to_string(file);
      input.paths.push_back(shop_.write(file_name, lines, {}).paths[0]);
    }
    dealt_.push_back({shop_.at(name), std::move(builds)});
    partition.shards = kLyingShards;
    for (std::uint64_t task = 0; task < 2; ++task) {
      partition.part = {task, 2};
      partition_keys(input, dealt_.back().path, partition, options(repeats));
    }
    finish_partition(dealt_.back().path, options());
  }

  static Path totals_in(const Path& dealt) { return dealt / index::kTotalsName; }
  static fuzz::FileParts parts_of(const Path& path) { return fuzz::take_apart(read_file(path)); }
  static base::Bytes write(const Path& path, const fuzz::FileParts& parts) {
    base::Bytes bytes = fuzz::put_together(parts);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << base::as_text(bytes);
    return bytes;
  }

  /// Builds all shards, and the whole of them, as far as nothing is refused.
  void build(const BuildPart& build_part, const Path& dealt, const std::string& what) {
    std::vector<Path> parts;
    bool all = true;
    for (std::uint64_t shard = 0; shard < kLyingShards; ++shard) {
      parts.push_back(shop_.at("part" + std::to_string(shard)));
      all = is_done([&] { build_part(dealt, {shard, kLyingShards}, parts.back()); }, what) && all;
    }
    const Path merged = shop_.at("merged");
    std::filesystem::remove_all(merged);
    if (!all || !is_done([&] { merge_parts(parts, merged, options()); }, what)) return;
    (void)is_done([&] { verify(merged); }, what);
  }

  /// Whether `step` was not refused, in a way that the user is to mend.
  static bool is_done(const std::function<void()>& step, const std::string& what) {
    try {
      step();
      return true;
    } catch (const Error& error) {
      EXPECT_NE(error.kind(), ErrorKind::io) << what << ": " << error.what();
    } catch (const std::exception& other) {
      ADD_FAILURE() << what << ": " << other.what();
    }
    return false;
  }

  Workshop shop_;
  std::vector<Dealt> dealt_;
};

TEST_F(LyingShards, AreRefusedByEveryBuild) {
  for (const Dealt& dealt : dealt_) {
    for (const std::uint64_t lie : {0U, 19U, 21U, 63U, 2001U}) {
      const base::Bytes sound = fuzz::put_together(parts_of(totals_in(dealt.path)));
      fuzz::FileParts parts = parts_of(totals_in(dealt.path));
      parts.header.keys = lie;
      base::store_le(parts.sections[0].bytes.data(), lie);  // the units
      write(totals_in(dealt.path), parts);
      for (const BuildPart& build_part : dealt.builds) {
        EXPECT_NE(error_of(ErrorKind::corrupt,
                           [&] {
                             build_part(dealt.path, {0, kLyingShards}, shop_.at("part0"));
                           })
                      .find("damaged"),
                  std::string::npos);
      }
      write(totals_in(dealt.path), fuzz::take_apart(sound));
    }
  }
}

/// Some of a file's numbers, or of its header's.
void damage(std::mt19937_64& random, fuzz::FileParts& parts) {
  const auto below = [&](std::uint64_t n) { return random() % n; };
  for (std::uint64_t left = 1 + below(2); left != 0; --left) {
    const std::array<std::uint64_t, 8> values{
        0, 1, below(64), 1024, 1025, below(4096), std::uint64_t{1} << below(64), random()};
    const std::uint64_t value = values[below(values.size())];
    const std::uint64_t what = below(8);
    if (what == 0) {
      parts.header.keys = value;
    } else if (what == 1) {
      parts.header.seed = value;
    } else if (what == 2 && parts.sections.size() > 1) {
      parts.sections.erase(parts.sections.begin() +
                           static_cast<std::ptrdiff_t>(below(parts.sections.size())));
    } else {
      base::Bytes& bytes = parts.sections[below(parts.sections.size())].bytes;
      if (bytes.size() < 8) continue;
      if (what == 3) {
        bytes[below(bytes.size())] ^= static_cast<std::byte>(1U << below(8));
      } else {  // the front more often, where the numbers are that all depends on
        const std::uint64_t room = bytes.size() / 8;
        const std::uint64_t at = below(what < 6 ? std::min<std::uint64_t>(room, 16) : room);
        base::store_le(bytes.data() + 8 * at, value);
      }
    }
  }
}

base::Bytes& section_in(fuzz::FileParts& part, std::uint32_t type) {
  return std::ranges::find(part.sections, type, &fuzz::FileSection::type)->bytes;
}
/// The list of a part.
base::Bytes& key_bytes_of(fuzz::FileParts& part) {
  return section_in(part, file::kPartBodiesSection);
}

TEST_F(LyingShards, PartsOfDictionariesAreRefusedByName) {
  const auto dealt = std::ranges::find(dealt_, shop_.at("texts"), &Dealt::path);
  std::vector<Path> parts;
  for (std::uint64_t shard = 0; shard < kLyingShards; ++shard) {
    parts.push_back(shop_.at("part" + std::to_string(shard)));
    dealt->builds.front()(dealt->path, {shard, kLyingShards}, parts.back());
  }
  merge_parts(parts, shop_.at("whole"), options());
  const base::Bytes sound = read_file(parts[0]);
  const auto expect_refused = [&](const std::string& problem,
                                  const std::function<void(base::Bytes & keys)>& lie) {
    fuzz::FileParts part = fuzz::take_apart(sound);
    lie(key_bytes_of(part));
    constexpr std::size_t kBodyBytes = 24;  // stand so far before the end (formats/parts.md)
    base::Bytes& head = section_in(part, file::kPartSection);
    base::store_le(head.data() + head.size() - kBodyBytes,
                   std::uint64_t{key_bytes_of(part).size()});
    write(parts[0], part);
    const std::string said =
        error_of(ErrorKind::corrupt, [&] { merge_parts(parts, shop_.at("merged"), options()); });
    EXPECT_NE(said.find(": damaged: " + problem), std::string::npos) << said;
    EXPECT_FALSE(std::filesystem::exists(shop_.at("merged")));
  };
  fuzz::FileParts other = parts_of(parts[1]);
  expect_refused("a key belongs to", [&](base::Bytes& keys) { keys = key_bytes_of(other); });
  expect_refused("its keys are out", [](base::Bytes& keys) { keys[6] = std::byte{0xff}; });
  expect_refused("a key is cut", [](base::Bytes& keys) { keys[0] = std::byte{1}; });
  expect_refused("a key is cut", [](base::Bytes& keys) { keys.pop_back(); });
  expect_refused("its parts have", [](base::Bytes& keys) { keys.back() ^= std::byte{0x80}; });
  expect_refused("its parts have", [](base::Bytes& keys) { keys.clear(); });
  std::mt19937_64 random(3);
  for (int i = 0; i < 100 / kFewer; ++i) {
    fuzz::FileParts part = fuzz::take_apart(sound);
    damage(random, part);
    write(parts[0], part);
    if (!is_done([&] { merge_parts(parts, shop_.at("merged"), options()); }, "a lying part"))
      continue;
    EXPECT_EQ(read_file(shop_.at("merged")), read_file(shop_.at("whole")));
    std::filesystem::remove(shop_.at("merged"));
  }
}

/// `mutants` of all directories together. None may take a second of CPU.
TEST_F(LyingShards, BreakNoBuild) {
  const bool is_long = std::getenv("CRIVO_LONG") != nullptr;
  const int mutants = is_long ? 10'000 : 60 / kFewer;
  std::mt19937_64 random(7);
  for (int i = 0; i < mutants; ++i) {
    const Dealt& sound = dealt_[random() % dealt_.size()];
    const std::string what = "mutant " + std::to_string(i) + " of " + sound.path.string();
    const Path dealt = shop_.at("mutant");
    std::filesystem::remove_all(dealt);
    std::filesystem::copy(sound.path, dealt);
    const std::clock_t begin = std::clock();
    if (random() % 2 == 0) {
      fuzz::FileParts parts = parts_of(totals_in(dealt));
      damage(random, parts);
      write(totals_in(dealt), parts);
    } else {
      const std::uint64_t task = random() % 2;
      const Path keys = dealt / index::keys_file_name(task, 2);
      fuzz::FileParts parts = parts_of(keys);
      damage(random, parts);
      write(keys, parts);
      if (random() % 2 == 0) {  // totals that name it, though they were counted before
        fuzz::FileParts totals = parts_of(totals_in(dealt));
        constexpr std::size_t kBeforeFiles = 48;  // formats/parts.md, section 98
        const bool is_read = is_done(
            [&] {
              const file::Digest digest = index::KeyFile(keys).digest();
              std::ranges::copy(digest, totals.sections[0].bytes.begin() + kBeforeFiles +
                                            static_cast<std::ptrdiff_t>(40 * task));
            },
            what);
        if (is_read) write(totals_in(dealt), totals);
      } else if (!is_done([&] { finish_partition(dealt, options()); }, what)) {
        continue;
      }
    }
    build(sound.builds[random() % sound.builds.size()], dealt, what);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    if (is_long) {
      EXPECT_LT(seconds, 1) << what;
    }
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace crivo::test
