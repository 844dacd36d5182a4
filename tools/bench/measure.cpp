#include "bench/measure.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/clock.hpp"

namespace crivo::bench {
namespace {

/// Keys of one call of a loop: its ranks stay in the second-level cache, so that storing them costs
/// every method next to nothing.
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
      return calls.lookup_batch;
    case Loop::lookup:
    case Loop::absent:
      break;
  }
  return calls.lookup;
}

/// visit(view, ranks) for one chunk of `keys` after the other, with room for their ranks.
template <typename Visit>
void for_each_chunk(const KeySet& keys, std::vector<std::uint64_t>& ranks, Visit&& visit) {
  ranks.resize(kChunk);
  for (std::size_t begin = 0; begin < keys.size(); begin += kChunk) {
    visit(keys.view(begin, std::min(kChunk, keys.size() - begin)), ranks.data());
  }
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
    case Loop::absent:
      break;
  }
  return "absent";
}

Subject::~Subject() {
  if (built_ != nullptr) method_.calls.destroy(built_);
}

BuildFigures Subject::build(unsigned threads) {
  const crivo_bench_keys set = keys_.set.view();
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

void Subject::verify() const {
  const std::size_t n = keys_.set.size();
  std::vector<bool> taken(n);
  std::vector<std::uint64_t> ranks;
  for_each_chunk(keys_.set, ranks, [&](const crivo_bench_keys& chunk, std::uint64_t* found) {
    method_.calls.lookup(built_, &chunk, found);
    for (std::size_t i = 0; i < chunk.count; ++i) {
      if (found[i] >= n) throw std::runtime_error("wrong: a rank beyond the number of keys");
      if (taken[found[i]]) throw std::runtime_error("wrong: two keys have one rank");
      taken[found[i]] = true;
    }
  });
  std::vector<std::uint64_t> others(kChunk);
  for_each_chunk(keys_.present, ranks, [&](const crivo_bench_keys& chunk, std::uint64_t* found) {
    method_.calls.lookup(built_, &chunk, found);
    for (const Loop loop : {Loop::dependent, Loop::batch}) {
      const Call call = call_of(method_.calls, loop);
      if (call == nullptr) continue;
      call(built_, &chunk, others.data());
      if (!std::equal(found, found + chunk.count, others.data())) {
        throw std::runtime_error("wrong: the " + std::string(name_of(loop)) +
                                 " lookup finds other ranks");
      }
    }
  });
}

double Subject::time(Loop loop) const {
  const Call call = call_of(method_.calls, loop);
  if (call == nullptr) return 0;
  const KeySet& keys = loop == Loop::absent ? keys_.absent : keys_.present;
  const std::size_t passes = (kMinLookups + keys.size() - 1) / keys.size();
  std::vector<std::uint64_t> ranks(kChunk);
  const double begin = process_cpu_ns();
  for (std::size_t pass = 0; pass < passes; ++pass) {
    for_each_chunk(keys, ranks, [&](const crivo_bench_keys& chunk, std::uint64_t* found) {
      call(built_, &chunk, found);
    });
  }
  return (process_cpu_ns() - begin) / static_cast<double>(passes * keys.size());
}

}  // namespace crivo::bench
