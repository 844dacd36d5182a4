// SPDX-License-Identifier: Apache-2.0
#include "bench/measure.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/clock.hpp"

namespace crivo::bench {
namespace {

/// Keys of one call of a loop: its answers stay in the second-level cache, so that storing them
/// costs every method next to nothing.
constexpr std::size_t kChunk = std::size_t{1} << 14;
/// A round looks up this many keys at least, small sets several times over.
constexpr std::size_t kMinLookups = std::size_t{1} << 16;

/// A field of /proc/self/status that is given in kB, in bytes.
double status_bytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string name; status >> name;) {
    double kilobytes = 0;
    if (name == field + ":" && status >> kilobytes) return 1024 * kilobytes;
    status.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  throw std::runtime_error("no " + field + " in /proc/self/status");
}

using Call = void (*)(const void*, const crivo_bench_keys*, std::uint64_t*);

Call call_of(const crivo_bench_method& calls, Loop loop) noexcept {
  switch (loop) {
    case Loop::dependent:
      return calls.lookup_dependent;
    case Loop::batch:
    case Loop::absent_batch:
      return calls.lookup_batch;
    case Loop::lookup:
    case Loop::absent:
      break;
  }
  return calls.lookup;
}

/// visit(begin, view) for one chunk of `keys` after the other, the first key of which has index
/// `begin`.
template <typename Visit>
void for_each_chunk(const KeySet& keys, Visit&& visit) {
  for (std::size_t begin = 0; begin < keys.size(); begin += kChunk) {
    visit(begin, keys.view(begin, std::min(kChunk, keys.size() - begin)));
  }
}

[[noreturn]] void wrong(const std::string& what) {
  throw std::runtime_error("wrong: " + what);
}

}  // namespace

std::string_view name_of(Loop loop) noexcept {
  switch (loop) {
    case Loop::lookup:
      return "lookup";
    case Loop::dependent:
      return "dependent";
    case Loop::batch:
      return "batch";
    case Loop::absent_batch:
      return "absent_batch";
    case Loop::absent:
      break;
  }
  return "absent";
}

Subject::~Subject() {
  if (built_ != nullptr) method_.calls.destroy(built_);
}

BuildFigures Subject::build(unsigned threads) {
  crivo_bench_keys set = keys_.set.view();
  set.values = task_.values.empty() ? nullptr : task_.values.data();
  set.value_bits = task_.value_bits;
  set.fpr = task_.fpr;
  const char* why = "it does not say why";
  // In a new process the peak begins with what is resident. What then comes in of the libraries'
  // files is no memory of the keys.
  const double before = status_bytes("VmRSS") - status_bytes("RssFile");
  const double wall = wall_ns();
  const double cpu = process_cpu_ns();
  built_ = method_.calls.build(&set, threads, &why);
  BuildFigures figures;
  figures.cpu_ns = process_cpu_ns() - cpu;
  figures.wall_ns = wall_ns() - wall;
  figures.peak_bytes = std::max(0.0, status_bytes("VmHWM") - status_bytes("RssFile") - before);
  if (built_ == nullptr) throw std::runtime_error(why);
  figures.bits = static_cast<double>(method_.calls.bits(built_));
  if (method_.cpu_ns_from_hashes != nullptr) {
    figures.cpu_ns_from_hashes = method_.cpu_ns_from_hashes(built_);
  }
  return figures;
}

double Subject::verify() const {
  switch (task_.kind) {
    case Kind::mphf:
      verify_ranks();
      break;
    case Kind::filter:
      verify_members();
      break;
    case Kind::map:
      verify_values();
      break;
  }
  verify_loops(keys_.present);
  if (task_.kind != Kind::filter) return 0;
  verify_loops(keys_.absent);
  return rate();
}

void Subject::verify_ranks() const {
  const std::size_t n = keys_.set.size();
  std::vector<bool> taken(n);
  std::vector<std::uint64_t> ranks(kChunk);
  for_each_chunk(keys_.set, [&](std::size_t, const crivo_bench_keys& chunk) {
    method_.calls.lookup(built_, &chunk, ranks.data());
    for (std::size_t i = 0; i < chunk.count; ++i) {
      if (ranks[i] >= n) wrong("a rank beyond the number of keys");
      if (taken[ranks[i]]) wrong("two keys have one rank");
      taken[ranks[i]] = true;
    }
  });
}

void Subject::verify_members() const {
  std::vector<std::uint64_t> answers(kChunk);
  for_each_chunk(keys_.set, [&](std::size_t, const crivo_bench_keys& chunk) {
    method_.calls.lookup(built_, &chunk, answers.data());
    for (std::size_t i = 0; i < chunk.count; ++i) {
      if (answers[i] > 1) wrong("neither 0 nor 1");
      if (answers[i] == 0) wrong("a key of the set is not in the filter");
    }
  });
}

void Subject::verify_values() const {
  std::vector<std::uint64_t> values(kChunk);
  for_each_chunk(keys_.set, [&](std::size_t begin, const crivo_bench_keys& chunk) {
    method_.calls.lookup(built_, &chunk, values.data());
    if (!std::equal(values.data(), values.data() + chunk.count, task_.values.data() + begin)) {
      wrong("a key has another key's value");
    }
  });
}

void Subject::verify_loops(const KeySet& keys) const {
  std::vector<std::uint64_t> answers(kChunk);
  std::vector<std::uint64_t> others(kChunk);
  for_each_chunk(keys, [&](std::size_t, const crivo_bench_keys& chunk) {
    method_.calls.lookup(built_, &chunk, answers.data());
    for (const Loop loop : {Loop::dependent, Loop::batch}) {
      const Call call = call_of(method_.calls, loop);
      if (call == nullptr) continue;
      call(built_, &chunk, others.data());
      if (!std::equal(answers.data(), answers.data() + chunk.count, others.data())) {
        wrong("the " + std::string(name_of(loop)) + " lookup finds other answers");
      }
    }
  });
}

double Subject::rate() const {
  std::vector<std::uint64_t> answers(kChunk);
  std::uint64_t maybe = 0;
  for_each_chunk(keys_.absent, [&](std::size_t, const crivo_bench_keys& chunk) {
    method_.calls.lookup(built_, &chunk, answers.data());
    maybe = std::accumulate(answers.data(), answers.data() + chunk.count, maybe);
  });
  return static_cast<double>(maybe) / static_cast<double>(keys_.absent.size());
}

double Subject::time(Loop loop) const {
  const Call call = call_of(method_.calls, loop);
  if (call == nullptr) return 0;
  const bool absent = loop == Loop::absent || loop == Loop::absent_batch;
  const KeySet& keys = absent ? keys_.absent : keys_.present;
  const std::size_t passes = (kMinLookups + keys.size() - 1) / keys.size();
  std::vector<std::uint64_t> answers(kChunk);
  const double begin = process_cpu_ns();
  for (std::size_t pass = 0; pass < passes; ++pass) {
    for_each_chunk(keys, [&](std::size_t, const crivo_bench_keys& chunk) {
      call(built_, &chunk, answers.data());
    });
  }
  return (process_cpu_ns() - begin) / static_cast<double>(passes * keys.size());
}

}  // namespace crivo::bench
