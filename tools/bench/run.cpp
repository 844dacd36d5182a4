// SPDX-License-Identifier: Apache-2.0
#include "bench/run.hpp"

#include <malloc.h>

#include <algorithm>
#include <cmath>
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

  /// Does a step; if that fails, the method takes no further part and fail(why) is called.
  template <typename Step, typename Fail>
  void attempt(Step&& step, Fail&& fail) {
    try {
      step();
    } catch (const std::runtime_error& error) {
      worker.reset();
      fail(error.what());
    }
  }

  void fail(const std::string& why) { row = {row.name, row.library, why}; }
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

void take_check(Row& row, const Task& task, double fpr, std::size_t absent_keys) {
  // With fewer false positives the rate is known too badly for a ratio.
  constexpr double kMinPositives = 100;
  row.fpr = fpr;
  if (fpr < 1 && fpr * static_cast<double>(absent_keys) >= kMinPositives) {
    row.overhead = row.bits / -std::log2(fpr);
  }
  if (task.kind == Kind::map) row.overhead = row.bits / task.value_bits;
}

}  // namespace

std::vector<Row> run(const std::vector<Method>& methods, const Task& task, const KeySets& keys,
                     const RunOptions& options,
                     const std::function<void(const std::string&)>& say) {
  std::vector<Entry> entries;
  entries.reserve(methods.size());
  for (const Method& method : methods) {
    entries.push_back({method, {method.calls.name, method.library}, nullptr});
  }

  ::malloc_trim(0);  // else a build might fill what is free here, and seem to need no memory
  if (!methods.empty()) {
    say("warm up");
    try {
      Worker(methods.front(), task, keys, options.limit).build(options.threads);
    } catch (const std::runtime_error&) {  // its row will say so
    }
  }
  for (unsigned round = 0; round < options.builds; ++round) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      Entry& entry = entries[(i + round) % entries.size()];
      if (!entry.row.failure.empty()) continue;
      say("build " + entry.row.name);
      const auto build = [&] {
        entry.worker.reset();  // the memory of the last build first
        entry.worker = std::make_unique<Worker>(entry.method, task, keys, options.limit);
        take_build(entry.row, entry.worker->build(options.threads), keys.set.size());
        if (round + 1 == options.builds) {
          take_check(entry.row, task, entry.worker->verify(), keys.absent.size());
        }
      };
      entry.attempt(build, [&](const std::string& why) {
        entry.fail(why);
        say(entry.row.name + ": " + why);
      });
    }
  }

  const auto time = [&](Entry& entry, Loop loop) {
    keep_least(entry.row.loop_ns[static_cast<std::size_t>(loop)], entry.worker->time(loop));
  };
  for (unsigned round = 0; round < options.rounds; ++round) {
    say("lookups, round " + std::to_string(round + 1) + " of " + std::to_string(options.rounds));
    for (const Loop loop : {Loop::lookup, Loop::dependent, Loop::batch}) {
      for (Entry& entry : entries) {
        if (!entry.worker) continue;
        entry.attempt([&] { time(entry, loop); }, [&](const std::string& why) { entry.fail(why); });
      }
    }
  }
  say("lookups of absent keys");
  for (unsigned round = 0; round < options.rounds; ++round) {
    for (Entry& entry : entries) {
      if (!entry.worker) continue;
      const auto absent = [&] {
        time(entry, Loop::absent);
        if (task.kind == Kind::filter) time(entry, Loop::absent_batch);
      };
      entry.attempt(absent, [&](const std::string& why) {
        entry.row.loop_ns[static_cast<std::size_t>(Loop::absent)] = 0;
        entry.row.absent_failure = why;
      });
    }
  }

  std::vector<Row> rows;
  rows.reserve(entries.size());
  for (Entry& entry : entries) rows.push_back(std::move(entry.row));
  return rows;
}

}  // namespace crivo::bench
