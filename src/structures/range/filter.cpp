// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "structures/range/range.hpp"
#include "structures/range/table.hpp"

namespace crivo::filter {
namespace range {
namespace {

class Filter final : public Membership {
 public:
  explicit Filter(const Table& table) noexcept : table_(table) {}

  std::uint64_t size() const noexcept override { return table_.shape().n; }
  double fpr() const noexcept override { return table_.shape().fpr(); }
  std::vector<Parameter> parameters() const override {
    return {{"longest_range", table_.shape().longest},
            {"low_bits", std::uint64_t{table_.shape().low_bits}},
            {"partitions", std::uint64_t{1} << table_.shape().partition_bits}};
  }

  bool contains(Hash128 hash) const noexcept override { return table_.any(hash, hash.lo); }
  void contains(std::span<const Hash128> hashes, bool* answers) const noexcept override {
    answer(
        hashes,
        [](Hash128 hash) {
          return NumberRun{hash, hash.lo};
        },
        answers);
  }
  bool contains_run(const NumberRun& run) const noexcept override {
    return table_.any(run.first, run.last);
  }
  void contains_runs(std::span<const NumberRun> runs, bool* answers) const noexcept override {
    answer(
        runs, [](const NumberRun& run) { return run; }, answers);
  }

 private:
  /// What is read is asked for in two steps, each for so many at once.
  template <typename Asked, typename RunOf>
  void answer(std::span<const Asked> all, const RunOf& run_of, bool* answers) const noexcept {
    constexpr std::size_t kTogether = 32;
    while (!all.empty()) {
      const auto some = all.first(std::min(kTogether, all.size()));
      all = all.subspan(some.size());
      for (const Asked& one : some) table_.prefetch_counts(run_of(one).first);
      for (const Asked& one : some) table_.prefetch_bits(run_of(one).first);
      for (const Asked& one : some) {
        const NumberRun run = run_of(one);
        *answers++ = table_.any(run.first, run.last);
      }
    }
  }

  Table table_;
};

}  // namespace
}  // namespace range

std::unique_ptr<const Membership> open_range(base::ByteView section) {
  return std::make_unique<range::Filter>(range::Table(section));
}

}  // namespace crivo::filter
