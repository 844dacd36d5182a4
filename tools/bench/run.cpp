#include "bench/run.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "bench/worker.hpp"

namespace crivo::bench {
namespace {

/// A method in the run; without a worker once it has failed.
struct Entry {
  const Method& method;
  Row row;
  std::unique_ptr<Worker> worker;

  /// Does a step, and notes a failure in the row.
  template <typename Step>
  void attempt(Step&& step) {
    try {
      step();
    } catch (const std::runtime_error& error) {
      row = {row.name, row.library, error.what()};
      worker.reset();
    }
  }
};

void keep_least(double& least, double value) {
  if (least == 0 || value < least) least = value;
}

void take_build(Row& row, const BuildFigures& figures, std::size_t keys) {
  const auto n = static_cast<double>(keys);
  row.bits = figures.bits / n;
  keep_least(row.build_cpu_ns, figures.cpu_ns / n);
  keep_least(row.build_wall_ns, figures.wall_ns / n);
  keep_least(row.build_from_hashes_cpu_ns, figures.cpu_ns_from_hashes / n);
  keep_least(row.peak_bytes, figures.peak_bytes / n);
}

}  // namespace

std::vector<Row> run(const std::vector<Method>& methods, const KeySets& keys,
                     const RunOptions& options,
                     const std::function<void(const std::string&)>& say) {
  std::vector<Entry> entries;
  for (const Method& method : methods) {
    entries.push_back({method, {method.calls.name, method.library}, nullptr});
  }

  for (unsigned round = 0; round < options.builds; ++round) {
    for (Entry& entry : entries) {
      if (!entry.row.failure.empty()) continue;
      say("build " + entry.row.name);
      entry.attempt([&] {
        entry.worker.reset();  // the memory of the last build first
        entry.worker = std::make_unique<Worker>(entry.method, keys, options.limit);
        take_build(entry.row, entry.worker->build(options.threads), keys.set.size());
        if (round + 1 == options.builds) entry.worker->verify();
      });
      if (!entry.row.failure.empty()) say(entry.row.name + ": " + entry.row.failure);
    }
  }

  for (unsigned round = 0; round < options.rounds; ++round) {
    say("lookups, round " + std::to_string(round + 1) + " of " + std::to_string(options.rounds));
    for (const Loop loop : kLoops) {
      for (Entry& entry : entries) {
        if (!entry.worker) continue;
        entry.attempt([&] {
          keep_least(entry.row.loop_ns[static_cast<std::size_t>(loop)], entry.worker->time(loop));
        });
      }
    }
  }

  std::vector<Row> rows;
  for (Entry& entry : entries) rows.push_back(std::move(entry.row));
  return rows;
}

}  // namespace crivo::bench
