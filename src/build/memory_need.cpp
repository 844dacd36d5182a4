// SPDX-License-Identifier: Apache-2.0
#include "build/memory_need.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/parallel.hpp"
#include "build/chosen.hpp"
#include "lookup/filter_file.hpp"
#include "lookup/map_file.hpp"
#include "lookup/rank_index.hpp"
#include "records/build/record_batch.hpp"
#include "records/build/record_spool.hpp"
#include "structures/build/build_cost.hpp"

namespace crivo::index {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr double kHash = sizeof(Hash128);
constexpr double kValue = 8;         // beside the hash, in the stream
constexpr double kPlace = 8;         // and the value's place
constexpr double kValueBit = 0.2e6;  // of the partitions in work of a thread

// Fitted to the peak resident memory of builds of 10^3 to 10^7 URLs, and of 10^3 to 10^6 records,
// on 1 and 2 threads, with no limit and within 64 MiB.
constexpr double kFixed = 10e6;     // the program itself, above all
constexpr double kKept = 0.6;       // of a key: blocks that are not full, and parts that are done
constexpr double kReading = 16e6;   // beside the key stream
constexpr double kOrdering = 34e6;  // records that are put in order
constexpr double kOrderedRecord = 200;
constexpr double kWaiting = 32e6;      // encoded, of a thread beside the first
constexpr double kWaitingTurn = 14e6;  // of a thread that has no core of its own

/// The memory of training: a fixed amount, then bytes for each of the first bytes looked at and for
/// each that follows, up to the most.
struct TrainingMemory {
  double fixed = 0;
  double first_byte = 0;
  double later_byte = 0;
  double most_bytes = 0;
  double record = 0;  ///< of each record that is looked at

  double of(double bytes, double pair_bytes) const noexcept {
    constexpr double kFirstBytes = 3.1e6;
    const double looked_at = std::min(bytes, most_bytes);
    const double first = std::min(looked_at, kFirstBytes);
    return fixed + first_byte * first + later_byte * (looked_at - first) +
           record * looked_at / std::max(pair_bytes, 1.0);
  }
};

// Fitted to the peak resident memory of builds of 0.3 to 100 MB of records of 10 to 1,000 bytes.
TrainingMemory training_memory(std::optional<records::CodecId> codec) noexcept {
  constexpr double kSampledRecord = 24;
  constexpr TrainingMemory kChoosing{11.5e6, 3.4, 2.45, 14e6, kSampledRecord};
  if (!codec) return kChoosing;
  switch (*codec) {
    case records::CodecId::none:
      break;
    case records::CodecId::tokens12:
      return {2e6, 2.5, 1.1, 12e6, kSampledRecord};
    case records::CodecId::tokens16:
      return {3e6, 5.2, 1.35, 12e6, kSampledRecord};
    case records::CodecId::zstd:
    case records::CodecId::neighbours:
      return {11.5e6, 2.35, 2.35, 6e6, 0};
  }
  return {};
}

/// About the lesser of two.
double soft_min(double a, double b) {
  if (a <= 0 || b <= 0) return 0;
  return std::pow(std::pow(a, -3) + std::pow(b, -3), -1.0 / 3);
}

/// The bytes that a structure over the whole set takes: its hashes, and what they are sorted from
/// or what it takes itself.
double whole_bytes(double build_bytes) {
  return kHash + std::max(kHash, build_bytes);
}

/// The need of a structure over keys that take `stream_bytes` each.
MemoryNeed of_structure(const BuildCost& cost, double stream_bytes = kHash) {
  return {cost.whole_set ? whole_bytes(cost.held_bytes) : cost.held_bytes, stream_bytes,
          cost.thread_bytes};
}

}  // namespace

std::uint64_t MemoryNeed::least(std::uint64_t keys) const noexcept {
  constexpr double kLease = 1.0 / 32;
  return fixed_bytes + static_cast<std::uint64_t>(static_cast<double>(keys) * (key_bytes + kLease));
}

std::uint64_t MemoryNeed::spilled(std::uint64_t keys, const MemoryBudget& budget) const noexcept {
  const auto streamed = static_cast<std::uint64_t>((stream_bytes + record_bytes - in_input_bytes) *
                                                   static_cast<double>(keys));
  return streamed > budget.stream_bytes() / 4 * 3 ? streamed : 0;
}

std::uint64_t MemoryNeed::peak(std::uint64_t keys, unsigned threads,
                               const MemoryBudget& budget) const noexcept {
  const auto n = static_cast<double>(keys);
  const double streamed = (stream_bytes + record_bytes - in_input_bytes) * n;
  // A whole set is sorted from one place to another, and the stream is gone when it is built.
  const double held = key_bytes == 0 ? streamed : std::max(key_bytes * n, streamed + kHash * n);
  // The work on a key while it is leased: sorted from one place to another, then built.
  constexpr double kLeasedWork = 2.2e6;
  double building =
      soft_min(work_bytes * threads, (2 * stream_bytes + work_bytes / kLeasedWork) * n);
  const double pairs = n * std::max(0.0, record_bytes - records::RecordSpool::held_bytes(0));
  const unsigned at_once = std::min(threads, base::thread_count(0));
  const double waiting = encoded_share * (soft_min(kWaiting, pairs / 2) * (at_once - 1) +
                                          soft_min(kWaitingTurn, pairs / 4) * (threads - at_once));
  if (record_bytes != 0)
    building = std::max(training_bytes, soft_min(kOrdering, kOrderedRecord * n) + waiting);
  const auto budgeted = static_cast<double>(budget.bytes);
  constexpr double kSmallWork = 29e6;
  const double least_work = 1.5 * std::max(0.0, work_bytes - kSmallWork);
  building = std::min(building, std::max(budgeted / 4 + least_work, training_bytes));
  const double all = held + kFixed + kKept * n + building + short_records(n);
  if (spilled(keys, budget) == 0) return static_cast<std::uint64_t>(with_longest(all));
  // Either while it is read, most of the stream's memory being full before it is spilled, or while
  // it is built: leases are smaller then, as far as their structure lets them.
  constexpr double kFull = 0.85;
  constexpr double kMostReadAhead = 64.0 * kMiB;
  constexpr double kMostLeased = 30e6;
  constexpr double kLeasedRecords = 10e6;
  const double reading = kFull * static_cast<double>(budget.stream_bytes()) + kReading;
  double leased = std::min(work_bytes * std::max(threads, 1U) * (threads > 1 ? 1 : 1.5),
                           kMostLeased + least_work);
  // Long records take turns: threads beside the first hold none that waits.
  constexpr double kLongPair = 65536;
  const bool are_long = pairs >= kLongPair * n;
  if (record_bytes != 0) leased = budgeted / 4 + kLeasedRecords + (are_long ? 0 : waiting / 2);
  // Nothing is read ahead while a codec is trained.
  const double building_spilled =
      kFixed +
      std::max(training_bytes, std::min(budgeted / 4, kMostReadAhead) + key_bytes * n + leased);
  const double short_ones = std::min(short_records(n), budgeted / 4);
  return static_cast<std::uint64_t>(
      with_longest(std::min(all, std::max(reading, building_spilled) + short_ones)));
}

std::uint64_t MemoryNeed::peak_in_order(std::uint64_t keys, std::uint64_t bytes, unsigned threads,
                                        const MemoryBudget& budget) const noexcept {
  // Fitted to the peak resident memory of builds of 160 to 400 MB of records of 0 to 64 MiB.
  constexpr double kKey = 48;
  constexpr double kThread = 5e6;           // beside the first
  constexpr double kThreadSpilled = 1.5e6;  // likewise
  constexpr double kFull = 0.85;
  // Texts have short records, which the spool has, too; of long ones they say where they are.
  const double mean =
      static_cast<double>(bytes) / static_cast<double>(std::max(keys, std::uint64_t{1}));
  const double copies = mean < records::RecordEntry::kLeastFar ? 2 : 1;
  const double whole = copies * static_cast<double>(bytes) + kKey * static_cast<double>(keys) +
                       kFixed + kThread * (threads - 1);
  const double spilled =
      kFixed + std::max(kFull * static_cast<double>(budget.stream_bytes()), training_bytes) +
      kThreadSpilled * (threads - 1);
  return static_cast<std::uint64_t>(with_longest(std::min(whole, spilled)));
}

double MemoryNeed::short_records(double keys) const noexcept {
  if (record_bytes == 0) return 0;
  constexpr double kOne = 20;  // of a record of no bytes, beside what its key and its place take
  constexpr double kShort = 32;
  const double pair = record_bytes - records::RecordSpool::held_bytes(0);
  return keys * kOne / (1 + pair / kShort);
}

double MemoryNeed::with_longest(double bytes) const noexcept {
  // It is read, put in order, encoded and written; and those beside it wait.
  constexpr double kCopies = 4.2;
  constexpr double kBesideOthers = 1.5;
  return std::max(bytes + kBesideOthers * longest_record, kFixed + kCopies * longest_record);
}

MemoryNeed mphf_memory(const MphfOptions& mphf) {
  const mphf::Builder& algorithm = find_algorithm(mphf.algorithm);
  MemoryNeed need = of_structure(algorithm.cost, kHash + (algorithm.preserves_order ? kValue : 0));
  need.stream_bytes += mphf.signature_bits / 8.0;
  need.work_bytes += kValueBit * mphf.signature_bits;
  if (mphf.signature_bits != 0) need.work_bytes += algorithm.cost.whole_part_bytes;
  return need;
}

MemoryNeed filter_memory(const FilterOptions& filter) {
  const filter::Builder& type = filter::find_type(filter);
  BuildCost cost = type.cost;
  // The filter itself, which is in memory while it is built.
  if (cost.whole_set) cost.held_bytes = type.forecast(1'000'000, filter).bits_per_key / 8;
  return of_structure(cost);
}

MemoryNeed map_memory(const MapOptions& map, unsigned value_bits, bool ignore_duplicates) {
  const double collected = kHash + kValue + (map.values && ignore_duplicates ? kPlace : 0);
  const BuildCost& cost = map::find_algorithm(map).cost;
  MemoryNeed need = of_structure(cost, collected);
  if (cost.whole_set) {
    need.key_bytes += kValue;
  } else {
    need.work_bytes += kValueBit * value_bits;
  }
  return need;
}

MemoryNeed exact_memory(const ExactOptions& /*exact*/) {
  return {.stream_bytes = kHash + kValue, .work_bytes = 12e6};
}

MemoryNeed with_records(MemoryNeed need, double pair_bytes, std::uint64_t longest) {
  need.record_bytes = records::RecordSpool::held_bytes(pair_bytes);
  need.longest_record = static_cast<double>(longest);
  return need;
}

MemoryNeed with_coding(MemoryNeed need, std::optional<records::CodecId> codec, double bytes,
                       double pair_bytes, double encoded_share) {
  need.training_bytes = training_memory(codec).of(bytes, pair_bytes);
  need.encoded_share = encoded_share;
  return need;
}

MemoryNeed store_memory(const StoreOptions& store) {
  const BuildCost& cost = find_algorithm(store.algorithm).cost;
  MemoryNeed need = of_structure(cost);
  need.work_bytes += cost.whole_part_bytes;  // records are put in the order of ranks
  return need;
}

MemoryNeed shard_memory(const MemoryNeed& need) {
  // No input is parsed: its files of hashes are mapped.
  return {
      .stream_bytes = need.stream_bytes, .work_bytes = need.work_bytes, .fixed_bytes = 4 * kMiB};
}

MemoryNeed merge_memory(const MemoryNeed& need) {
  return {.key_bytes = need.key_bytes, .fixed_bytes = 4 * kMiB};
}

MemoryBudget::MemoryBudget(const BuildOptions& options, const base::AvailableMemory& available)
    : bytes(options.resources.memory), was_asked(bytes != 0) {
  if (was_asked) return;
  bytes = available.bytes / 4 * 3;
  source = "three quarters of what " + available.limit + " leaves";
}

std::uint64_t MemoryBudget::stream_bytes() const noexcept {
  constexpr std::uint64_t kBeside = 32 * kMiB;  // leases, buffers of the input and the output
  return std::max(bytes / 2, bytes - std::min(bytes, kBeside));
}

std::uint64_t MemoryBudget::scratch_bytes(std::uint64_t free_bytes) const noexcept {
  constexpr std::uint64_t kThings = 4;  // at once: keys twice, places, signatures
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 18;
  constexpr std::uint64_t kMostOfBudget = 32;  // the rest is for leases
  return std::max(kLeast, std::min(free_bytes / (2 * kThings), bytes / kMostOfBudget));
}

unsigned MemoryBudget::threads(unsigned asked) const noexcept {
  constexpr std::uint64_t kThreadBytes = 4 * kMiB;
  return static_cast<unsigned>(
      std::clamp<std::uint64_t>(bytes / kThreadBytes, 1, std::max(asked, 1U)));
}

namespace {

/// In tenths of a MiB, or in KiB.
std::string memory_text(std::uint64_t bytes, std::uint64_t rounding) {
  constexpr std::uint64_t kKiB = std::uint64_t{1} << 10;
  if (bytes < kMiB) return std::to_string((bytes + rounding * (kKiB - 1)) / kKiB) + " KiB";
  const std::uint64_t tenths =
      bytes / kMiB * 10 + (bytes % kMiB * 10 + rounding * (kMiB - 1)) / kMiB;
  const std::string fraction = tenths % 10 == 0 ? "" : "." + std::to_string(tenths % 10);
  return std::to_string(tenths / 10) + fraction + " MiB";
}

/// To two digits, since the number of keys may be an estimate.
std::uint64_t rounded_down(std::uint64_t number) noexcept {
  std::uint64_t unit = 1;
  while (number / unit >= 100) unit *= 10;
  return number / unit * unit;
}

}  // namespace

std::string memory_text(std::uint64_t bytes) {
  return memory_text(bytes, 0);
}

std::string needed_memory_text(std::uint64_t bytes) {
  return memory_text(bytes, 1);
}

std::string memory_problem(std::uint64_t keys, const MemoryNeed& need, const MemoryBudget& budget,
                           std::string_view work) {
  const std::uint64_t least = need.least(keys);
  if (least <= budget.bytes) return {};
  const std::string needs =
      std::string(work) +
      (keys == 0 ? "" : " of " + std::to_string(rounded_down(keys)) + " keys or more") +
      " needs at least " + needed_memory_text(least);
  if (budget.was_asked) return "memory: " + memory_text(budget.bytes) + " is too small: " + needs;
  return "not enough memory: " + needs + ", and " + budget.source + " is " +
         memory_text(budget.bytes) + "; build fewer keys at once";
}

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
