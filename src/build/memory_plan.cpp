// SPDX-License-Identifier: Apache-2.0
#include "build/memory_plan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/parallel.hpp"
#include "records/build/record_spool.hpp"

namespace crivo::index {

MemoryPlan::MemoryPlan(const BuildOptions& options)
    : budget_(options, options.resources.memory != 0 ? base::AvailableMemory()
                                                     : base::recently_available_memory()),
      threads_(budget_.threads(base::thread_count(options.resources.threads))),
      ignores_duplicates_(options.ignore_duplicates) {}

void MemoryPlan::expect(Input input) {
  input_ = std::move(input);
  if (input_.keys) refuse_too_many(*input_.keys);
}

void MemoryPlan::require(const std::string& name, std::uint64_t keys, const MemoryNeed& need,
                         std::string_view work) const {
  const std::string problem = memory_problem(keys, need, budget_, work);
  if (problem.empty()) return;
  // An option that is at fault comes first.
  throw Error(ErrorKind::io, budget_.was_asked ? problem : name + ": " + problem,
              {.file = name, .remedy = "memory"});
}

void MemoryPlan::refuse_too_many(std::uint64_t keys) const {
  // If equal keys are ignored only the distinct ones count, and nobody knows their number yet.
  if (!input_.need || ignores_duplicates_) return;
  require(input_.name, keys, *input_.need, "a build");
}

std::uint64_t MemoryPlan::spool_bytes() const noexcept {
  const double record =
      input_.record_bytes == 0 ? 0 : records::RecordSpool::held_bytes(input_.record_bytes);
  const double share = record / (record + sizeof(Hash128));
  // The less the key stream has, the fewer and larger its partitions are, which are leased whole.
  constexpr std::uint64_t kForKeys = std::uint64_t{48} << 20;
  const std::uint64_t all = budget_.stream_bytes();
  return std::min(static_cast<std::uint64_t>(static_cast<double>(all) * share),
                  std::max(all / 2, all - std::min(all, kForKeys)));
}

unsigned MemoryPlan::spool_bits() const noexcept {
  constexpr double kPieceBytes = 1 << 18;
  constexpr double kMostPieceBytes = 1 << 20;  // of those beyond kMany
  constexpr unsigned kMany = 12;
  constexpr unsigned kUsual = 10;           // where nothing is known
  constexpr double kPerhapsKeys = 1 << 16;  // of pairs that are longer, the keys may be long, too
  if (!input_.keys) return kUsual;
  // Pieces are read of the entries: longer records are far, which keys are not.
  const double entry_bytes =
      std::min<double>(input_.record_bytes, input_.has_records && input_.record_bytes < kPerhapsKeys
                                                ? records::RecordEntry::kLeastFar
                                                : kMaxKeyBytes);
  const double bytes = entry_bytes * static_cast<double>(*input_.keys);
  unsigned bits = 0;
  while (bits < records::RecordSpool::kMostBits &&
         std::ldexp(bits < kMany ? kPieceBytes : kMostPieceBytes, static_cast<int>(bits)) < bytes)
    ++bits;
  return bits;
}

}  // namespace crivo::index
