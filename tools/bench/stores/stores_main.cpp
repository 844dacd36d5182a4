// SPDX-License-Identifier: Apache-2.0
// crivo-bench-stores: record stores over one set of records, in one table.
//
// Each is built and asked in a process of its own, on one thread. Every record is compared before
// anything is timed. A lookup reads a byte of each line of the record. Times of lookups are CPU
// time, the best of the rounds, in which the stores take turns; the keys are asked for once before,
// so that what is timed is no page fault. With --evicted the files are dropped from memory, and
// hits are asked by the clock, with what they read of the disk. Of stores in the order of their
// keys, scans read all records in the folder of a key, up to its last slash.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <fstream>
#include <limits>
#include <stdexcept>

#include "bench/clock.hpp"
#include "bench/stores/record_set.hpp"
#include "bench/stores/store.hpp"
#include "options/program.hpp"

namespace crivo::bench {
namespace {

enum StoreLoop { hit, batch, miss, miss_batch, loops };

// In memory that the processes share.
struct Figures {
  bool ok = false;
  double build_cpu = 0;  // s
  double build_wall = 0;
  double peak_bytes = 0;  // beside what was there before
  double bytes = 0;
  std::array<double, loops> ns{};  // infinity: there is no such loop
  double scanned = 0;              // bytes of keys and records a ns; 0: there are no scans
  double evicted_wall = 0;         // ns a hit of evicted files
  double evicted_bytes = 0;        // of the disk, a hit
  char problem[200] = "";
};

double peak_rss() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

// Runs in a process of its own; what it throws becomes the row's problem.
template <typename Work>
void in_child(Figures& figures, Work&& work) {
  figures.ok = false;
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      work();
      figures.ok = true;
    } catch (const std::exception& error) {
      std::snprintf(figures.problem, sizeof figures.problem, "%s", error.what());
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFEXITED(status)) std::snprintf(figures.problem, sizeof figures.problem, "crashed");
}

void build(const StoreMethod& method, const RecordSet& set, const std::filesystem::path& directory,
           Figures& figures) {
  const double before = peak_rss();
  const double cpu = process_cpu_ns();
  const double wall = wall_ns();
  method.build(set, directory);
  figures.build_cpu = (process_cpu_ns() - cpu) / 1e9;
  figures.build_wall = (wall_ns() - wall) / 1e9;
  figures.peak_bytes = peak_rss() - before;
  figures.ns.fill(std::numeric_limits<double>::infinity());
  figures.bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file()) figures.bytes += static_cast<double>(entry.file_size());
  }
  const auto store = method.open(directory);
  for (const auto& [key, record] : set.pairs) {
    bool found = false;
    if (store->find(key, found) != record || !found) throw std::runtime_error("a wrong record");
  }
}

std::uint64_t touch(std::string_view record) {
  std::uint64_t sum = record.size();
  for (std::size_t i = 0; i < record.size(); i += 64) sum += static_cast<unsigned char>(record[i]);
  return sum;
}

// Times a round of each loop.
void ask(const StoreMethod& method, const std::filesystem::path& directory, const KeyList& present,
         const KeyList& absent, Figures& figures) {
  const auto store = method.open(directory);
  volatile std::uint64_t used = 0;
  const auto note = [&](StoreLoop loop, const KeyList& list, double begin) {
    const double ns = (process_cpu_ns() - begin) / static_cast<double>(list.keys().size());
    figures.ns[loop] = std::min(figures.ns[loop], ns);
  };
  for (const bool there : {true, false}) {
    const KeyList& list = there ? present : absent;
    std::uint64_t sum = 0;
    std::uint64_t hits = 0;
    const auto find_each = [&] {
      for (const std::string_view key : list.keys()) {
        bool found = false;
        const std::string_view record = store->find(key, found);
        if (found) sum += touch(record);
        hits += found ? 1 : 0;
      }
    };
    find_each();  // so that pages are mapped
    hits = 0;
    double begin = process_cpu_ns();
    find_each();
    note(there ? hit : miss, list, begin);
    if (hits != (there ? list.keys().size() : 0)) throw std::runtime_error("a wrong answer");
    begin = process_cpu_ns();
    const bool has_batch = store->find_all(list.keys(), [&](std::string_view record, bool found) {
      if (found) sum += touch(record);
    });
    if (has_batch) note(there ? batch : miss_batch, list, begin);
    used = used + sum;
  }
  constexpr double kScanned = 64e6;  // so many bytes tell
  double bytes = 0;
  std::uint64_t sum = 0;
  const double begin = process_cpu_ns();
  for (const std::string_view key : present.keys()) {
    const bool has_scans =
        store->scan(key.substr(0, key.rfind('/') + 1), [&](std::string_view found, auto record) {
          bytes += static_cast<double>(found.size() + record.size());
          sum += touch(found) + touch(record);
        });
    if (!has_scans || bytes > kScanned) break;
  }
  figures.scanned = std::max(figures.scanned, bytes / (process_cpu_ns() - begin));
  used = used + sum;
}

// Drops the store's files from memory, as far as the system does so.
void evict(const std::filesystem::path& directory) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    const int file = ::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw std::runtime_error("cannot open " + entry.path().string());
    ::fsync(file);
    ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    ::close(file);
  }
}

// What this process has read of the disk so far, page faults and what is read ahead included.
double disk_bytes() {
  std::ifstream file("/proc/self/io");
  for (std::string name, value; file >> name >> value;) {
    if (name == "read_bytes:") return std::stod(value);
  }
  throw std::runtime_error("/proc/self/io does not say what was read");
}

// Times hits of a store whose files are on the disk alone. Opening it does not count.
void ask_evicted(const StoreMethod& method, const std::filesystem::path& directory,
                 const KeyList& present, Figures& figures) {
  evict(directory);
  const auto store = method.open(directory);
  const double bytes = disk_bytes();
  const double begin = wall_ns();
  volatile std::uint64_t used = 0;
  for (const std::string_view key : present.keys()) {
    bool found = false;
    used = used + touch(store->find(key, found));
    if (!found) throw std::runtime_error("a wrong answer");
  }
  const auto hits = static_cast<double>(present.keys().size());
  figures.evicted_wall = (wall_ns() - begin) / hits;
  figures.evicted_bytes = (disk_bytes() - bytes) / hits;
}

void print(const RecordSet& set, std::span<const StoreMethod> methods,
           std::span<const Figures> figures, std::string_view baseline, bool evicted) {
  const auto records = static_cast<double>(set.pairs.size());
  std::printf("%zu records, %.1f bytes each with their keys\n\n", set.pairs.size(),
              static_cast<double>(set.pair_bytes) / records);
  std::printf(
      "| store | build CPU s | wall s | peak MB | B/rec | hit ns | batch | miss | batch miss "
      "| hit of %s's | scan MB/s |%s\n|---|---|---|---|---|---|---|---|---|---|---|%s\n",
      std::string(baseline).c_str(), evicted ? " evicted us | KiB read |" : "",
      evicted ? "---|---|" : "");
  double least = 0;
  for (std::size_t m = 0; m < methods.size(); ++m) {
    if (methods[m].name == baseline) least = figures[m].ns[hit];
  }
  for (std::size_t m = 0; m < methods.size(); ++m) {
    const Figures& row = figures[m];
    if (!row.ok) {
      std::printf("| %s | %s |\n", methods[m].name.c_str(), row.problem);
      continue;
    }
    std::printf("| %s | %.2f | %.2f | %.0f | %.1f |", methods[m].name.c_str(), row.build_cpu,
                row.build_wall, row.peak_bytes / 1e6, row.bytes / records);
    for (const double ns : row.ns) {
      if (ns == std::numeric_limits<double>::infinity()) {
        std::printf(" |");
      } else {
        std::printf(" %.0f |", ns);
      }
    }
    if (least > 0) {
      std::printf(" %.2f |", row.ns[hit] / least);
    } else {
      std::printf(" |");
    }
    if (row.scanned > 0) {
      std::printf(" %.0f |", row.scanned * 1e3);
    } else {
      std::printf(" |");
    }
    if (evicted) std::printf(" %.1f | %.1f |", row.evicted_wall / 1e3, row.evicted_bytes / 1024);
    std::printf("\n");
  }
}

struct StoresOptions {
  std::string path;
  std::string directory = "/tmp";
  std::vector<std::string> only;
  std::string baseline = "sparkey";
  unsigned rounds = 3;
  std::size_t lookups = 1'000'000;
  std::size_t evicted = 0;
};

int compare(const StoresOptions& options) {
  std::vector<StoreMethod> all;
  add_crivo_stores(all);
  add_unchecked_stores(all);
#ifdef CRIVO_BENCH_SPARKEY
  add_sparkey_store(all);
#endif
#ifdef CRIVO_BENCH_CDB
  add_cdb_store(all);
#endif
  add_lmdb_store(all);
#ifdef CRIVO_BENCH_SQLITE
  add_sqlite_store(all);
#endif
#ifdef CRIVO_BENCH_LEVELDB
  add_leveldb_store(all);
#endif
#ifdef CRIVO_BENCH_ROCKSDB
  add_rocksdb_stores(all);
#endif
  std::vector<StoreMethod> methods;
  for (StoreMethod& method : all) {
    const auto is_named = [&](const std::string& text) {
      return method.name.find(text) != std::string::npos;
    };
    if (options.only.empty() || std::ranges::any_of(options.only, is_named)) {
      methods.push_back(std::move(method));
    }
  }

  const RecordSet set(options.path);
  void* const shared = ::mmap(nullptr, methods.size() * sizeof(Figures), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::runtime_error("out of memory");
  const std::span figures(static_cast<Figures*>(shared), methods.size());
  std::string scratch = options.directory + "/crivo-bench-stores-XXXXXX";
  if (::mkdtemp(scratch.data()) == nullptr) {
    throw std::runtime_error("cannot write " + options.directory);
  }
  const auto place = [&](std::size_t m) {
    return std::filesystem::path(scratch) / std::to_string(m);
  };
  for (std::size_t m = 0; m < methods.size(); ++m) {
    std::filesystem::create_directory(place(m));
    in_child(figures[m], [&] { build(methods[m], set, place(m), figures[m]); });
  }
  const KeyList present(set, options.lookups, false);
  const KeyList absent(set, options.lookups, true);
  for (unsigned round = 0; round < options.rounds; ++round) {
    for (std::size_t m = 0; m < methods.size(); ++m) {
      if (!figures[m].ok) continue;
      in_child(figures[m], [&] { ask(methods[m], place(m), present, absent, figures[m]); });
    }
  }
  if (options.evicted != 0) {
    const KeyList few(set, options.evicted, false);
    for (std::size_t m = 0; m < methods.size(); ++m) {
      if (!figures[m].ok) continue;
      in_child(figures[m], [&] { ask_evicted(methods[m], place(m), few, figures[m]); });
    }
  }
  std::filesystem::remove_all(scratch);
  print(set, methods, figures, options.baseline, options.evicted != 0);
  return 0;
}

}  // namespace
}  // namespace crivo::bench

int main(int argc, char** argv) {
  crivo::options::Program program(
      "crivo-bench-stores",
      "record stores over one set of records, in one table (tools/bench/FIGURES.md)");
  crivo::bench::StoresOptions options;
  program.option("RECORDS", options.path, "a file of key NUL record NUL (stores/make-records)")
      .required();
  program.option("--dir", options.directory,
                 "where stores are built; in the page cache, or on a disk");
  program.option("--only", options.only, "stores whose names hold one of these texts")
      .separated_by(',');
  program.option("--baseline", options.baseline, "whose hit the ratio is to");
  program.option("--repeat", options.rounds, "rounds of lookups");
  program.option("--lookups", options.lookups, "keys that are asked for in a round");
  program.option("--evicted", options.evicted,
                 "hits that are asked for, at last, of files that were dropped from memory");
  return program.run(argc, argv, [&] { return crivo::bench::compare(options); });
}
