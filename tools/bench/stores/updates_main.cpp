// SPDX-License-Identifier: Apache-2.0
// crivo-bench-updates RECORDS DIRECTORY [TURNOVERS]: what durable updates of real records take,
// beside LMDB and SQLite (WAL), and the space after each turnover of all records. RECORDS is as
// crivo-bench-stores has it; DIRECTORY is on the disk that is measured, and made. With --growth:
// what a store's growth by a tenth of its keys takes (growth.hpp).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/stores/growth.hpp"
#include "bench/stores/record_set.hpp"
#include "bench/stores/updated.hpp"
#include "crivo/build/build.hpp"
#include "crivo/build/edit.hpp"
#include "crivo/store.hpp"

namespace crivo::bench {
namespace {

namespace fs = std::filesystem;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class UpdatedCrivo final : public Updated {
 public:
  UpdatedCrivo(fs::path directory, const std::string& records, bool compacts)
      : directory_(std::move(directory)), compacts_(compacts) {
    KeyInput input;
    input.paths = {records};
    input.format.framing = KeyFormat::Framing::null;
    build_store(input, directory_);
    open();
  }

  void set(Pairs pairs) override {
    for (const auto& [key, record] : pairs) writer_->set(key, record);
    writer_->commit();
    if (!compacts_) return;
    writer_.reset();
    (void)compact_store(directory_, {.above = kCompactAbove, .resources = {.threads = 1}});
    open();
  }
  std::string get(std::string_view key) override {
    const Store store = Store::open(directory_);
    return std::string(Store::Reader(store).find(key).record);
  }
  const fs::path& directory() const noexcept { return directory_; }

 private:
  void open() { writer_ = std::make_unique<Store::Writer>(directory_); }

  fs::path directory_;
  bool compacts_;
  std::unique_ptr<Store::Writer> writer_;
};

/// A row of the table.
struct Row {
  std::string name;
  fs::path directory;
  std::unique_ptr<Updated> store;
  double single_seconds = 0;
  double thousand_seconds = 0;
  std::vector<double> megabytes{};  ///< fresh, and after each turnover

  double space() const {
    std::uintmax_t bytes = 0;
    for (const auto& file : fs::directory_iterator(directory)) bytes += file.file_size();
    return static_cast<double>(bytes) / 1e6;
  }
};

class Bench {
 public:
  Bench(const std::string& records, const fs::path& directory) : set_(records), random_(1) {
    fs::create_directories(directory);
    add("Crivo", directory / "crivo",
        [&](const fs::path& at) { return std::make_unique<UpdatedCrivo>(at, records, false); });
    add("Crivo, compacting", directory / "compacting",
        [&](const fs::path& at) { return std::make_unique<UpdatedCrivo>(at, records, true); });
    add("LMDB", directory / "lmdb", updated_lmdb);
#ifdef CRIVO_BENCH_SQLITE
    add("SQLite, WAL", directory / "sqlite", updated_sqlite);
#endif
    const std::vector<KeyAndRecord> sorted = set_.sorted();
    for (Row& row : rows_) {
      if (row.name.starts_with("Crivo")) continue;  // built
      row.store->set(sorted);
    }
    for (Row& row : rows_) row.megabytes.push_back(row.space());
  }

  void run(int turnovers) {
    constexpr std::size_t kRounds = 10;
    constexpr std::size_t kSingles = 20;
    for (std::size_t round = 0; round < kRounds; ++round) {
      const auto singles = changed(kSingles);
      for (Row& row : rows_) {
        row.single_seconds += time([&] {
          for (const KeyAndRecord& pair : singles) row.store->set({&pair, 1});
        });
      }
      const auto many = changed(1000);
      for (Row& row : rows_) row.thousand_seconds += time([&] { row.store->set(many); });
    }
    print_rates(kRounds * kSingles, kRounds * 1000);
    print_refresh();
    for (int i = 0; i < turnovers; ++i) turn_over();
    print_space();
  }

 private:
  template <typename Make>
  void add(const char* name, const fs::path& directory, Make&& make) {
    rows_.push_back({name, directory, make(directory)});
  }
  template <typename Work>
  static double time(Work&& work) {
    const double begin = seconds();
    work();
    return seconds() - begin;
  }

  /// Random keys, each with the record of another.
  std::vector<KeyAndRecord> changed(std::size_t count) {
    std::vector<KeyAndRecord> pairs;
    pairs.reserve(count);
    const std::size_t n = set_.pairs.size();
    for (std::size_t i = 0; i < count; ++i) {
      pairs.emplace_back(set_.pairs[random_() % n].first, set_.pairs[random_() % n].second);
    }
    return pairs;
  }

  /// Every record changes, in random order, in commits of 10,000.
  void turn_over() {
    constexpr std::size_t kCommit = 10'000;
    std::vector<KeyAndRecord> all = set_.pairs;
    std::ranges::shuffle(all, random_);
    const std::string_view first = all.front().second;
    for (std::size_t i = 0; i + 1 < all.size(); ++i) all[i].second = all[i + 1].second;
    all.back().second = first;
    for (std::size_t begin = 0; begin < all.size(); begin += kCommit) {
      const Pairs some = Pairs(all).subspan(begin, std::min(kCommit, all.size() - begin));
      for (Row& row : rows_) row.store->set(some);
    }
    for (Row& row : rows_) {
      row.megabytes.push_back(row.space());
      for (std::size_t i = 0; i < all.size(); i += all.size() / 100 + 1) {
        if (row.store->get(all[i].first) != all[i].second) {
          throw std::runtime_error(row.name + ": a wrong record");
        }
      }
    }
  }

  void print_rates(std::size_t singles, std::size_t many) const {
    std::printf("| store | single commits a second | updates a second, 1,000 a commit |\n");
    std::printf("|---|---:|---:|\n");
    for (const Row& row : rows_) {
      std::printf("| %s | %.0f | %.0f |\n", row.name.c_str(),
                  static_cast<double>(singles) / row.single_seconds,
                  static_cast<double>(many) / row.thousand_seconds);
    }
  }

  /// With 10^5 updates there, what a reader takes to see a commit of one more, and of 1,000 more.
  void print_refresh() {
    Updated& crivo = *rows_.front().store;
    crivo.set(changed(std::min<std::size_t>(100'000, set_.pairs.size())));
    Store store = Store::open(rows_.front().directory);
    for (const std::size_t count : {std::size_t{1}, std::size_t{1000}}) {
      std::vector<double> times;
      for (int round = 0; round < 101; ++round) {
        crivo.set(changed(count));
        times.push_back(time([&] { store.refresh(); }));
      }
      std::ranges::sort(times);
      std::printf(
          "\nrefresh at 100,000 updates, after a commit of %zu: median %.3f, most %.3f ms\n", count,
          1e3 * times[times.size() / 2], 1e3 * times.back());
    }
  }

  void print_space() const {
    std::printf("\n| MB | fresh |");
    for (std::size_t i = 1; i < rows_.front().megabytes.size(); ++i) std::printf(" %zu |", i);
    std::printf("\n|---|");
    for (std::size_t i = 0; i < rows_.front().megabytes.size(); ++i) std::printf("---:|");
    for (const Row& row : rows_) {
      std::printf("\n| %s |", row.name.c_str());
      for (const double megabytes : row.megabytes) std::printf(" %.0f |", megabytes);
    }
    std::printf("\n");
  }

  RecordSet set_;
  std::mt19937_64 random_;
  std::vector<Row> rows_;
};

}  // namespace
}  // namespace crivo::bench

int main(int argc, char** argv) try {
  const bool grows = argc == 4 && std::string_view(argv[1]) == "--growth";
  if (argc < 3) {
    std::fprintf(stderr,
                 "usage: crivo-bench-updates RECORDS DIRECTORY [TURNOVERS]\n"
                 "       crivo-bench-updates --growth RECORDS DIRECTORY\n");
    return 2;
  }
  if (grows) {
    crivo::bench::measure_growth(argv[2], argv[3]);
  } else {
    crivo::bench::Bench(argv[1], argv[2]).run(argc > 3 ? std::atoi(argv[3]) : 10);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "crivo-bench-updates: %s\n", error.what());
  return 1;
}
