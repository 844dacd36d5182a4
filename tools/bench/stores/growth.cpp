// SPDX-License-Identifier: Apache-2.0
#include "bench/stores/growth.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "bench/clock.hpp"
#include "bench/stores/record_set.hpp"
#include "bench/stores/updated.hpp"
#include "crivo/build/build.hpp"
#include "crivo/build/edit.hpp"
#include "crivo/store.hpp"

namespace crivo::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCommit = 1000;  // keys
constexpr int kRounds = 9;
constexpr std::size_t kAsked = 1'000'000;
constexpr std::size_t kColdOpens = 21;

/// All pairs in random order, of which the last tenth is new.
struct Parts {
  std::vector<KeyAndRecord> all;
  Pairs old, added;

  explicit Parts(const RecordSet& set) : all(set.pairs) {
    std::ranges::shuffle(all, std::mt19937_64(1));
    old = Pairs(all).first(all.size() - all.size() / 10);
    added = Pairs(all).subspan(old.size());
  }
};

/// Builds a store of pairs; returns the CPU time of all threads, in seconds.
double build(Pairs pairs, const fs::path& directory) {
  const fs::path file = directory.string() + ".nul";
  std::ofstream out(file, std::ios::binary);
  for (const auto& [key, record] : pairs) out << key << '\0' << record << '\0';
  out.close();
  KeyInput input;
  input.paths = {file};
  input.format.framing = KeyFormat::Framing::null;
  const double begin = process_cpu_ns();
  build_store(input, directory);
  const double took = process_cpu_ns() - begin;
  fs::remove(file);
  return took / 1e9;
}

template <typename Work>
double wall_of(Work&& work) {
  const double begin = wall_ns();
  work();
  return (wall_ns() - begin) / 1e9;
}

/// Sets all new keys, the stores in turns of ten commits, and prints the commits a second.
void grow(const Parts& parts, const fs::path& crivo, const fs::path& directory) {
  struct Other {
    const char* name;
    std::unique_ptr<Updated> store;
    double seconds = 0;
  };
  std::vector<Other> others;
  others.push_back({"LMDB", updated_lmdb(directory / "lmdb")});
#ifdef CRIVO_BENCH_SQLITE
  others.push_back({"SQLite, WAL", updated_sqlite(directory / "sqlite")});
#endif
  std::vector<KeyAndRecord> sorted(parts.old.begin(), parts.old.end());
  std::ranges::sort(sorted);
  for (Other& other : others) other.store->set(sorted);
  double seconds = 0;
  std::size_t commits = 0;
  Store::Writer writer(crivo);
  constexpr std::size_t kTurn = 10 * kCommit;
  for (std::size_t begin = 0; begin < parts.added.size(); begin += kTurn) {
    const Pairs turn = parts.added.subspan(begin, std::min(kTurn, parts.added.size() - begin));
    const auto each = [&](auto&& set) {
      return wall_of([&] {
        for (std::size_t at = 0; at < turn.size(); at += kCommit)
          set(turn.subspan(at, std::min(kCommit, turn.size() - at)));
      });
    };
    seconds += each([&](Pairs pairs) {
      for (const auto& [key, record] : pairs) writer.set(key, record);
      writer.commit();
    });
    for (Other& other : others)
      other.seconds += each([&](Pairs pairs) { other.store->set(pairs); });
    commits += (turn.size() + kCommit - 1) / kCommit;
  }
  const auto print = [&](const char* name, double took) {
    std::printf("%s: %.1f commits of %zu new keys a second\n", name,
                static_cast<double>(commits) / took, kCommit);
  };
  print("Crivo", seconds);
  for (const Other& other : others) print(other.name, other.seconds);
}

/// The CPU time of a lookup of `keys`, in ns.
double time_lookups(const Store& store, const std::vector<std::string_view>& keys, bool present) {
  Store::Reader reader(store);
  const auto wanted = present ? Store::Status::found : Store::Status::absent;
  const double begin = process_cpu_ns();
  std::size_t wrong = 0;
  for (const std::string_view key : keys) wrong += reader.find(key).status != wanted;
  const double took = process_cpu_ns() - begin;
  if (wrong != 0) throw std::runtime_error("an answer is wrong");
  return took / static_cast<double>(keys.size());
}

/// Both stores in turns, the least of the rounds.
void print_lookups(const RecordSet& set, const fs::path& grown, const fs::path& fresh) {
  const Store stores[] = {Store::open(grown), Store::open(fresh)};
  for (const bool present : {true, false}) {
    const KeyList list(set, kAsked, !present);
    double least[] = {std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
    for (int round = 0; round < kRounds; ++round) {
      for (int i = 0; i < 2; ++i)
        least[i] = std::min(least[i], time_lookups(stores[i], list.keys(), present));
    }
    std::printf("%s: %.0f ns grown, %.0f freshly built: %.2f\n", present ? "hits" : "misses",
                least[0], least[1], least[0] / least[1]);
  }
}

/// What of a directory's files is in memory, in bytes; with `evict` none of it afterwards.
std::uint64_t resident_bytes(const fs::path& directory, bool evict) {
  std::uint64_t pages = 0;
  for (const auto& file : fs::directory_iterator(directory)) {
    const std::size_t size = file.file_size();
    const int descriptor = ::open(file.path().c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) throw std::runtime_error(file.path().string() + ": cannot be read");
    void* const at =
        size == 0 ? MAP_FAILED : ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
    if (at != MAP_FAILED) {
      std::vector<unsigned char> in_memory((size + 4095) / 4096);
      ::mincore(at, size, in_memory.data());
      for (const unsigned char page : in_memory) pages += page & 1;
      ::munmap(at, size);
    }
    if (evict) {
      ::fsync(descriptor);
      ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
    }
    ::close(descriptor);
  }
  return pages * 4096;
}

/// What the system has read of a store's files after an open and one hit, none before.
void print_cold(const RecordSet& set, const fs::path& store) {
  const KeyList list(set, kColdOpens, false);
  std::vector<std::uint64_t> bytes;
  for (const std::string_view key : list.keys()) {
    (void)resident_bytes(store, true);
    const std::uint64_t before = resident_bytes(store, false);
    const Store opened = Store::open(store);
    if (Store::Reader(opened).find(key).status != Store::Status::found)
      throw std::runtime_error("an answer is wrong");
    bytes.push_back(resident_bytes(store, false) - before);
  }
  std::ranges::sort(bytes);
  std::printf("first hit after a cold open: %.1f KiB in the median of %zu, %.1f at most\n",
              static_cast<double>(bytes[bytes.size() / 2]) / 1024, bytes.size(),
              static_cast<double>(bytes.back()) / 1024);
}

}  // namespace

void measure_growth(const std::string& records, const fs::path& directory) {
  const RecordSet set(records);
  const Parts parts(set);
  fs::create_directories(directory);
  const fs::path grown = directory / "grown";
  const fs::path fresh = directory / "fresh";
  build(parts.old, grown);
  const double build_seconds = build(parts.all, fresh);
  grow(parts, grown, directory);
  print_lookups(set, grown, fresh);
  print_cold(set, grown);
  const double begin = process_cpu_ns();
  const StoreCompaction compaction = compact_store(grown);
  const double seconds = (process_cpu_ns() - begin) / 1e9;
  if (compaction.records != parts.all.size()) throw std::runtime_error("records were lost");
  std::printf("compaction: %.2f s of CPU, a build of all %.2f: %.2f\n", seconds, build_seconds,
              seconds / build_seconds);
}

}  // namespace crivo::bench
