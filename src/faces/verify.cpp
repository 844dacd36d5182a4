// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <bit>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/as_error.hpp"
#include "base/memory_limit.hpp"
#include "base/parallel.hpp"
#include "builds/build_frame.hpp"
#include "builds/map_input.hpp"
#include "crivo/inspect.hpp"
#include "crivo/text.hpp"
#include "faces/check_answers.hpp"
#include "faces/find_key.hpp"
#include "faces/verify_phases.hpp"
#include "input/for_each_chunk.hpp"
#include "input/hash_keys.hpp"
#include "input/key_order.hpp"
#include "opening/check_file.hpp"
#include "opening/describe.hpp"
#include "opening/filter_file.hpp"
#include "opening/index_kind.hpp"
#include "opening/key_hash.hpp"
#include "opening/kinds.hpp"
#include "opening/lookup_blocks.hpp"
#include "opening/map_file.hpp"
#include "opening/rank_index.hpp"
#include "opening/store_files.hpp"

namespace crivo {
namespace {

[[noreturn]] void fail_mismatch(const std::filesystem::path& path, const std::string& problem) {
  throw Error(ErrorKind::mismatch, path.string() + ": " + problem);
}

void verify_container(const file::Container& container, const base::BuildContext& context) {
  context.progress.begin("verify", container.bytes(), Progress::Unit::bytes);
  container.verify(context.threads, [&](std::uint64_t bytes) { context.progress.add(bytes); });
  (void)container.metadata();
}

void verify_file(const file::Container& container, const base::BuildContext& context) {
  verify_container(container, context);
  (void)index::describe(container);
}

// Measured: nanoseconds of one thread, of a byte that is checked, of a pair that is compared with
// its record, and of a key that is hashed, sorted and looked up.
constexpr double kByteCost = 0.15;
constexpr double kPairCost = 200;
constexpr double kHashCost = 70;
constexpr double kCheckCost = 25;

/// What is kept of a stored key and its record: a half of each one's hash.
struct StoredPair {
  std::uint64_t key = 0;
  std::uint64_t record = 0;
};

/// A hash of each record is in memory while a store's keys are checked. Throws Error(io) where that
/// is beyond the budget.
void refuse_too_many(const std::filesystem::path& path, std::uint64_t records,
                     const index::MemoryBudget& budget) {
  const std::uint64_t bytes = records * sizeof(StoredPair);
  if (bytes <= budget.bytes) return;
  const std::string needs = "to check the keys of " + std::to_string(records) + " records needs " +
                            index::memory_text(bytes);
  const std::string budget_size = index::memory_text(budget.bytes);
  throw Error(ErrorKind::io,
              budget.was_asked ? "memory: " + budget_size + " is too small: " + needs
                               : path.string() + ": not enough memory: " + needs + ", and " +
                                     budget.source + " is " + budget_size,
              {.file = path.string(), .remedy = "memory"});
}

/// `stored`, where it is not empty, has room for every rank, and is filled by rank.
void verify_store(const index::StoreFiles& files, const base::BuildContext& context,
                  std::span<StoredPair> stored = {}) {
  const HashFunction function = index::hash_function(files.index.header());
  verify_container(files.index, context);
  files.records->verify(
      context, [&](std::uint64_t rank, std::string_view key, std::string_view record) {
        const Hash128 hash = detail::HashAccess::raw(function, key);
        if (files.ranks.lookup(hash) != rank || !files.records->may_hold(rank, hash.hi)) {
          files.index.fail("damaged: the key " + quote(key) + " does not get its record's rank " +
                           std::to_string(rank));
        }
        if (!stored.empty()) stored[rank] = {hash.lo, detail::HashAccess::raw(function, record).lo};
      });
}

/// Checks each pair of the input, on every thread, against `stored`, which verify_store() filled:
/// every block of records was decompressed once, for that.
std::uint64_t check_store(const std::filesystem::path& path, const index::StoreFiles& files,
                          std::span<const StoredPair> stored, const KeyInput& input,
                          const base::BuildContext& context) {
  const HashFunction function = index::hash_function(files.index.header());
  const bool lines =
      input.format.framing == KeyFormat::Framing::lines && !input::has_fields(input.format);
  const input::UnitFraming framing = input::UnitFraming::of_records(input.format);
  input::ChunkReader reader(input, framing, {});
  std::vector<std::uint64_t> seen(stored.size() / 64 + 1);  // a bit for each rank
  context.progress.begin("check keys", input::regular_input_bytes(input).value_or(0),
                         Progress::Unit::bytes);
  input::for_each_chunk(reader, input, framing, context, [&](unsigned, const input::Chunk& chunk) {
    std::vector<std::string_view> keys;
    std::vector<std::optional<std::string_view>> records;  // none: a key alone
    if (lines) {
      input::for_each_line(chunk, input.format,
                           [&](std::string_view line, std::uint64_t, std::size_t) {
                             const std::size_t tab = line.find('\t');
                             keys.push_back(line.substr(0, tab));
                             records.emplace_back();
                             if (tab != std::string_view::npos)
                               records.back() = line.substr(tab + 1);
                           });
    } else {
      input::for_each_record(
          chunk, input.format,
          [&](std::string_view key, std::string_view record, std::uint64_t, std::size_t) {
            keys.push_back(key);
            records.emplace_back(record);
          });
    }
    const auto check_all = [&](std::span<const Hash128> hashes, std::size_t begin) {
      std::array<std::uint64_t, index::kLookupBlock> ranks;
      files.ranks.lookup(hashes, ranks.data());
      for (std::size_t i = 0; i < hashes.size(); ++i) {
        if (ranks[i] < stored.size()) __builtin_prefetch(&stored[ranks[i]]);
      }
      for (std::size_t i = 0; i < hashes.size(); ++i) {
        const std::uint64_t rank = ranks[i];
        if (rank >= stored.size() || stored[rank].key != hashes[i].lo) {
          fail_mismatch(path, "there is no record for the key " + quote(keys[begin + i]));
        }
        const auto& record = records[begin + i];
        if (record && stored[rank].record != detail::HashAccess::raw(function, *record).lo) {
          fail_mismatch(path, "the record of " + quote(keys[begin + i]) + " differs");
        }
        std::atomic_ref(seen[rank / 64])
            .fetch_or(std::uint64_t{1} << (rank % 64), std::memory_order_relaxed);
      }
    };
    index::for_each_hashed_block(std::span<const std::string_view>(keys), function, check_all);
  });
  std::uint64_t given = 0;
  for (const std::uint64_t word : seen) given += static_cast<unsigned>(std::popcount(word));
  const std::uint64_t held = stored.size() - files.records->updates().removed;
  if (given != held) {
    fail_mismatch(path, "holds " + std::to_string(held) + " records, and " + std::to_string(given) +
                            " distinct keys were given");
  }
  return given;
}

}  // namespace

namespace index {

Plan verify_plan_of(const file::Container& container, unsigned threads) {
  return {{"verify", 1 + kByteCost * static_cast<double>(container.bytes()) / threads}};
}

Plan verify_plan_of(const StoreFiles& files, unsigned threads) {
  Plan plan = verify_plan_of(files.index, threads);
  for (const Progress::Phase& phase : files.records->verify_phases(threads)) plan.push_back(phase);
  return plan;
}

void verify_opened(const file::Container& container, const base::BuildContext& context) {
  verify_file(container, context);
}

void verify_opened(const StoreFiles& files, const base::BuildContext& context) {
  verify_store(files, context);
}

base::BuildContext context_of(const Resources& resources, Progress& own) {
  return {base::thread_count(resources.threads),
          resources.progress != nullptr ? *resources.progress : own};
}

void check_file(const file::Container& container, const Resources& resources) {
  Progress own;
  const base::BuildContext context = context_of(resources, own);
  context.progress.plan(verify_plan_of(container, context.threads));
  verify_file(container, context);
  context.progress.finish();
}

void check_file(const StoreFiles& files, const Resources& resources) {
  Progress own;
  const base::BuildContext context = context_of(resources, own);
  context.progress.plan(verify_plan_of(files, context.threads));
  verify_store(files, context);
  context.progress.finish();
}

}  // namespace index

void verify(const std::filesystem::path& path, const Resources& resources) try {
  if (index::is_store(path)) {
    index::check_file(index::StoreFiles::open(path, file::Loading::for_a_pass), resources);
  } else {
    index::check_file(file::Container::open(path), resources);
  }
} catch (...) {
  base::rethrow_as_error();
}

std::uint64_t verify_keys(const std::filesystem::path& path, const KeyInput& keys,
                          const KeyCheckOptions& options) try {
  const bool values = options.values;
  Progress own;
  const index::MemoryBudget budget({.resources = options.resources}, base::available_memory());
  base::BuildContext context = index::context_of(options.resources, own);
  context.threads = budget.threads(context.threads);
  const auto refuse_values = [&] {
    if (values)
      throw Error(ErrorKind::usage, path.string() + ": not a map, and only maps have values");
  };
  if (index::is_store(path)) {
    const index::StoreFiles files = index::StoreFiles::open(path, file::Loading::for_a_pass);
    refuse_values();
    refuse_too_many(path, files.index.header().keys, budget);
    std::vector<StoredPair> stored(files.index.header().keys);
    index::Plan plan = index::verify_plan_of(files, context.threads);
    plan.push_back(
        {"check keys", 1 + kPairCost * static_cast<double>(stored.size()) / context.threads});
    context.progress.plan(plan);
    verify_store(files, context, stored);
    const std::uint64_t checked = check_store(path, files, stored, keys, context);
    context.progress.finish();
    return checked;
  }
  const file::Container container = file::Container::open(path);
  index::refuse_part(container);
  if (container.header().kind != file::Kind::map) refuse_values();
  index::Plan plan = index::verify_plan_of(container, context.threads);
  const double keys_a_thread = 1 + static_cast<double>(container.header().keys) / context.threads;
  plan.push_back({"check keys", (kHashCost + kCheckCost) * keys_a_thread});
  // How much a pipe has to bring nobody knows: each phase is by itself then.
  if (input::regular_input_bytes(keys)) context.progress.plan(plan);
  verify_file(container, context);
  const std::uint64_t checked =
      index::index_kind_of(container).check(container, keys,
                                            {values, options.group_delimiter, budget.stream_bytes(),
                                             index::temp_directory(options.resources.temp_dir)},
                                            context);
  context.progress.finish();
  return checked;
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
