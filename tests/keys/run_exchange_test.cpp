#include "keys/run_exchange.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <random>

#include "util/parallel.hpp"

namespace crivo::keys {
namespace {

/// Scatters `sizes[p]` hashes {p, number} of each partition over runs of at most `longest` hashes
/// in random blocks, and puts them in order on `threads` threads.
void expect_in_order(const std::vector<std::uint64_t>& sizes, std::uint64_t longest,
                     unsigned threads) {
  std::vector<std::vector<Run>> runs(sizes.size());
  std::uint64_t blocks = 0;
  for (std::size_t p = 0; p < sizes.size(); ++p) {
    for (std::uint64_t left = sizes[p]; left != 0; left -= runs[p].back().size) {
      runs[p].push_back({blocks++, std::min(left, longest)});
    }
  }
  std::vector<std::uint64_t> order(blocks);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::ranges::shuffle(order, std::mt19937_64(blocks));
  std::vector<Hash128> memory(blocks * Run::kMaxElements, {UINT64_MAX, UINT64_MAX});
  std::vector<std::uint64_t> begins(sizes.size() + 1);
  for (std::size_t p = 0; p < sizes.size(); ++p) {
    begins[p + 1] = begins[p] + sizes[p];
    std::uint64_t number = 0;
    for (Run& run : runs[p]) {
      run.block = order[run.block];
      for (std::uint64_t i = 0; i < run.size; ++i) {
        memory[run.block * Run::kMaxElements + i] = {p, number++};
      }
    }
  }

  RunExchange exchange(memory.data(), blocks, std::move(runs));
  std::atomic<std::size_t> next{0};
  util::run_threads(threads, [&](unsigned) {
    for (std::size_t p = next++; p < sizes.size(); p = next++) {
      std::vector<Hash128> hashes(sizes[p]);
      exchange.gather(p, hashes);
      exchange.clear(begins[p] * sizeof(Hash128), begins[p + 1] * sizeof(Hash128));
      std::ranges::copy(hashes, memory.begin() + static_cast<std::ptrdiff_t>(begins[p]));
    }
  });

  for (std::size_t p = 0; p < sizes.size(); ++p) {
    for (std::uint64_t i = 0; i < sizes[p]; ++i) {
      ASSERT_EQ(memory[begins[p] + i], (Hash128{p, i})) << p << " of " << sizes.size();
    }
  }
}

TEST(RunExchange, OrdersPartitionsOnThreads) {
  std::mt19937_64 random(1);
  const std::vector<std::vector<std::uint64_t>> all_sizes{{},
                                                          {0},
                                                          {1},
                                                          {0, 0, 700, 0},
                                                          std::vector<std::uint64_t>(100, 1),
                                                          std::vector<std::uint64_t>(40, 256),
                                                          {10'000, 1, 0, 255, 256, 257, 3000},
                                                          [&] {
                                                            std::vector<std::uint64_t> sizes(200);
                                                            for (std::uint64_t& size : sizes)
                                                              size = random() % 2000;
                                                            return sizes;
                                                          }()};
  for (const auto& sizes : all_sizes) {
    for (const unsigned threads : {1U, 2U, 4U, 9U}) {
      expect_in_order(sizes, Run::kMaxElements, threads);
      expect_in_order(sizes, 100, threads);
    }
  }
}

}  // namespace
}  // namespace crivo::keys
