// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <optional>
#include <string>
#include <vector>

#include "base/as_error.hpp"
#include "base/memory_limit.hpp"
#include "build/build_frame.hpp"
#include "build/built_hash.hpp"
#include "build/check_answers.hpp"
#include "build/given_keys.hpp"
#include "build/kind_builder.hpp"
#include "crivo/build/reproduce.hpp"
#include "crivo/error.hpp"
#include "crivo/inspect.hpp"
#include "input/for_each_chunk.hpp"
#include "input/hash_keys.hpp"
#include "input/places.hpp"
#include "lookup/check_file.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/kinds.hpp"
#include "lookup/lookup_blocks.hpp"
#include "lookup/store_files.hpp"

namespace crivo {
namespace {

using index::StoredPair;

[[noreturn]] void fail_mismatch(const std::filesystem::path& path, const std::string& problem) {
  throw Error(ErrorKind::mismatch, path.string() + ": " + problem);
}

// Measured: nanoseconds of one thread, of a pair that is compared with its record, and of a key
// that is hashed, sorted and looked up.
constexpr double kPairCost = 200;
constexpr double kHashCost = 70;
constexpr double kCheckCost = 25;

/// A hash of each record is in memory while a store's keys are checked. Throws Error(io) where that
/// is beyond the budget.
void refuse_too_many(const std::filesystem::path& path, std::uint64_t records,
                     const index::MemoryBudget& budget) {
  const std::uint64_t bytes = records * sizeof(StoredPair);
  if (bytes <= budget.bytes) return;
  const std::string needs = "to check the keys of " + std::to_string(records) + " records needs " +
                            index::needed_memory_text(bytes);
  const std::string budget_size = index::memory_text(budget.bytes);
  throw Error(ErrorKind::io,
              budget.was_asked ? "memory: " + budget_size + " is too small: " + needs
                               : path.string() + ": not enough memory: " + needs + ", and " +
                                     budget.source + " is " + budget_size,
              {.file = path.string(), .remedy = "memory"});
}

struct Pairs {
  std::vector<std::string_view> keys;
  std::vector<std::optional<std::string_view>> records;  ///< none: a key alone
};

/// The pairs of a chunk; in lines a key may stand without its record.
Pairs pairs_of(const input::Chunk& chunk, const KeyFormat& format) {
  Pairs pairs;
  if (format.framing == KeyFormat::Framing::lines && !input::has_fields(format)) {
    input::for_each_line(chunk, format, [&](std::string_view line, std::uint64_t, std::size_t) {
      const std::size_t tab = line.find('\t');
      pairs.keys.push_back(line.substr(0, tab));
      pairs.records.emplace_back();
      if (tab != std::string_view::npos) pairs.records.back() = line.substr(tab + 1);
    });
  } else {
    input::for_each_record(
        chunk, format,
        [&](std::string_view key, std::string_view record, std::uint64_t, std::size_t) {
          pairs.keys.push_back(key);
          pairs.records.emplace_back(record);
        });
  }
  return pairs;
}

/// Checks each pair of the input, on every thread, against the `held` pairs in `stored`, which
/// verify_opened() filled: every block of records was decompressed once, for that.
std::uint64_t check_store(const std::filesystem::path& path, const index::StoreFiles& files,
                          const records::RecordFile& records, std::span<const StoredPair> stored,
                          std::uint64_t held, const KeyInput& input,
                          const base::BuildContext& context) {
  const HashFunction function = index::hash_function(files.index.header());
  const input::UnitFraming framing = input::UnitFraming::of_records(input.format);
  input::ChunkReader reader(input, framing, {});
  std::vector<std::uint64_t> seen(stored.size() / 64 + 1);  // a bit for each rank
  context.progress.begin("check keys", input::regular_input_bytes(input).value_or(0),
                         Progress::Unit::bytes);
  input::for_each_chunk(reader, input, framing, context, [&](unsigned, const input::Chunk& chunk) {
    const Pairs pairs = pairs_of(chunk, input.format);
    const auto check_all = [&](std::span<const Hash128> hashes, std::size_t begin) {
      std::array<std::uint64_t, index::kLookupBlock> ranks;
      files.ranks.lookup(std::span(pairs.keys).subspan(begin, hashes.size()), hashes,
                         std::span(ranks).first(hashes.size()));
      for (std::size_t i = 0; i < hashes.size(); ++i) {
        if (ranks[i] < stored.size()) __builtin_prefetch(&stored[ranks[i]]);
      }
      for (std::size_t i = 0; i < hashes.size(); ++i) {
        std::uint64_t rank = ranks[i];
        const auto is_there = [&] {
          return rank < stored.size() && stored[rank].key == hashes[i].lo;
        };
        if (!is_there() &&
            (records.added_rank(hashes[i], rank) != records::Outcome::found || !is_there())) {
          fail_mismatch(path, "there is no record for the key " + quote(pairs.keys[begin + i]));
        }
        const auto& record = pairs.records[begin + i];
        if (record && stored[rank].record != detail::HashAccess::raw(function, *record).lo) {
          fail_mismatch(path, "the record of " + quote(pairs.keys[begin + i]) + " differs");
        }
        std::atomic_ref(seen[rank / 64])
            .fetch_or(std::uint64_t{1} << (rank % 64), std::memory_order_relaxed);
      }
    };
    index::for_each_hashed_block(std::span<const std::string_view>(pairs.keys), function,
                                 check_all);
  });
  std::uint64_t given = 0;
  for (const std::uint64_t word : seen) given += static_cast<unsigned>(std::popcount(word));
  if (given != held) {
    fail_mismatch(path, "holds " + std::to_string(held) + " records, and " + std::to_string(given) +
                            " distinct keys were given");
  }
  return given;
}

/// Throws Error(usage) for a file that keys are not checked with.
const index::KindBuilder& checked_kind(const file::Container& container) {
  const index::KindBuilder* const kind = index::find_kind_builder(container.header().kind);
  if (kind != nullptr && kind->check != nullptr) return *kind;
  (void)index::index_kind_of(container);  // of some it says more
  throw Error(ErrorKind::usage, container.name() + ": " + index::noun_of(container.header().kind) +
                                    " cannot be checked with keys");
}

}  // namespace

std::uint64_t verify_keys(const std::filesystem::path& path, const KeyInput& keys,
                          const KeyCheckOptions& options) try {
  const bool values = options.values;
  Progress own;
  const index::MemoryBudget budget({.resources = options.resources}, base::available_memory());
  base::BuildContext context = index::context_of(options.resources, own);
  context.threads = budget.threads(context.threads);
  const auto refuse_values = [&] {
    if (values)
      throw Error(ErrorKind::usage,
                  path.string() + ": has no values: it is neither a map nor a dictionary");
  };
  if (index::is_store(path)) {
    const index::StoreFiles files = index::StoreFiles::open(path, file::Loading::for_a_pass);
    refuse_values();
    const std::shared_ptr<const records::RecordFile> records = files.records();
    refuse_too_many(path, records->records(), budget);
    std::vector<StoredPair> stored(records->records());
    index::Phases phases = index::verify_phases_of(files, context.threads);
    phases.push_back(
        {"check keys", 1 + kPairCost * static_cast<double>(stored.size()) / context.threads});
    context.progress.plan(phases);
    const std::uint64_t held = index::verify_opened(files, *records, context, stored);
    const std::uint64_t checked = check_store(path, files, *records, stored, held, keys, context);
    context.progress.finish();
    return checked;
  }
  const file::Container container = file::Container::open(path);
  index::refuse_part(container);
  if (container.header().value_type == file::ValueTypeId::none) refuse_values();
  index::Phases phases = index::verify_phases_of(container, context.threads);
  const double keys_a_thread = 1 + static_cast<double>(container.header().keys) / context.threads;
  phases.push_back({"check keys", (kHashCost + kCheckCost) * keys_a_thread});
  // How much a pipe has to bring nobody knows: each phase is by itself then.
  if (input::regular_input_bytes(keys)) context.progress.plan(phases);
  index::verify_opened(container, context);
  const std::uint64_t checked =
      checked_kind(container).check(container, keys,
                                    {values, options.group_delimiter, budget.stream_bytes(),
                                     index::temp_directory(options.resources.temp_dir)},
                                    context);
  context.progress.finish();
  return checked;
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo

namespace crivo::index {

std::optional<FoundKey> find_key(const KeyInput& input, const file::Header& header,
                                 std::span<const Hash128> hashes, bool pairs) {
  std::vector<std::uint64_t> wanted;
  wanted.reserve(hashes.size());
  for (const Hash128& hash : hashes) wanted.push_back(hash.lo);
  std::ranges::sort(wanted);
  const input::UnitFraming framing = input::UnitFraming::of(input.format, pairs);
  std::optional<FoundKey> found;
  input::replay_keys(
      input, pairs, {hash_family(header.key_hash, input), header.seed},
      [&](std::uint64_t low, const input::Place& place, const std::string_view* text) {
        if (!std::ranges::binary_search(wanted, low)) return true;
        found = {text != nullptr ? quote(*text) : "", input::place_name(input, framing, place)};
        return false;
      });
  return found;
}

}  // namespace crivo::index
