#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/describe.hpp"
#include "api/find_key.hpp"
#include "api/key_hash.hpp"
#include "api/map_input.hpp"
#include "api/store_files.hpp"
#include "crivo/inspect.hpp"
#include "filter/filter_file.hpp"
#include "keys/hash_keys.hpp"
#include "keys/key_order.hpp"
#include "map/map_file.hpp"
#include "mphf/rank_index.hpp"
#include "util/parallel.hpp"
#include "util/quote.hpp"

namespace crivo {
namespace {

constexpr unsigned kPartitionBits = 9;
constexpr std::size_t kBlock = 256;

[[noreturn]] void fail_mismatch(const std::filesystem::path& path, const std::string& problem) {
  throw Error(ErrorKind::mismatch, path.string() + ": " + problem);
}

void verify_container(const file::Container& container, Progress& progress) {
  progress.begin("verify", container.bytes(), Progress::Unit::bytes);
  container.verify([&](std::uint64_t bytes) { progress.add(bytes); });
  (void)container.metadata();
}

void verify_file(const file::Container& container, Progress& progress) {
  verify_container(container, progress);
  (void)api::describe(container);
}

void verify_store(const api::StoreFiles& files, Progress& progress) {
  verify_container(files.index, progress);
  files.environment.verify(
      progress, [&](std::uint64_t rank, std::string_view key, std::string_view) {
        if (files.ranks.lookup(hash_key(key, files.index.header().seed)) != rank) {
          files.index.fail("damaged: the key " + util::quote(key) +
                           " does not get its record's rank " + std::to_string(rank));
        }
      });
}

/// The key with a hash that gave a wrong answer, by its place and text where they can be had again.
std::string name_key(const KeyInput& input, const file::Header& header, Hash128 hash,
                     bool pairs = false) {
  const std::optional<api::FoundKey> found = api::find_key(input, header, {&hash, 1}, pairs);
  return found ? "the key " + found->text + " (" + found->place + ")" : "a key";
}

/// Runs check(block) over the hashes on every thread; it returns a hash that is answered wrongly,
/// or nothing. Returns the least of those.
template <typename Check>
std::optional<Hash128> find_wrong(const keys::SortedHashes& hashes,
                                  const util::BuildContext& context, Check&& check) {
  std::mutex mutex;
  std::optional<Hash128> wrong;
  context.progress.begin("check keys", hashes.size());
  util::parallel_for(context.threads, std::uint64_t{1} << kPartitionBits, [&](std::uint64_t p) {
    const auto partition = hashes.partition(kPartitionBits, p);
    for (std::size_t begin = 0; begin < partition.size(); begin += kBlock) {
      const auto found =
          check(partition.subspan(begin, std::min(kBlock, partition.size() - begin)));
      if (!found) continue;
      const std::scoped_lock lock(mutex);
      if (!wrong || *found < *wrong) wrong = *found;
      return;
    }
    context.progress.add(partition.size());
  });
  return wrong;
}

/// That the hashes and the ranks [0, n) are in one-to-one correspondence.
std::optional<Hash128> find_rank_clash(const keys::SortedHashes& hashes,
                                       const mphf::RankIndex& ranks,
                                       const util::BuildContext& context) {
  std::vector<std::uint64_t> taken(hashes.size() / 64 + 1);
  return find_wrong(hashes, context, [&](std::span<const Hash128> block) -> std::optional<Hash128> {
    std::array<std::uint64_t, kBlock> found{};
    ranks.lookup(block, found.data());
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (found[i] == mphf::RankIndex::kAbsent) return block[i];
      const std::uint64_t bit = std::uint64_t{1} << (found[i] % 64);
      const std::atomic_ref word(taken[found[i] / 64]);
      if ((word.fetch_or(bit, std::memory_order_relaxed) & bit) != 0) return block[i];
    }
    return std::nullopt;
  });
}

/// A hash that has not the number it is to have. ask(block, found, present) sets what the file
/// answers, expected(first, numbers) what the hashes from index `first` on should have.
template <typename Ask, typename Expected>
std::optional<Hash128> find_wrong_number(const keys::SortedHashes& hashes,
                                         const util::BuildContext& context, Ask&& ask,
                                         Expected&& expected) {
  const Hash128* const first = hashes.partition(0, 0).data();
  return find_wrong(hashes, context, [&](std::span<const Hash128> block) -> std::optional<Hash128> {
    std::array<std::uint64_t, kBlock> found{};
    std::array<bool, kBlock> present{};
    std::array<std::uint64_t, kBlock> numbers{};
    ask(block, found.data(), present.data());
    expected(static_cast<std::uint64_t>(block.data() - first),
             std::span(numbers).first(block.size()));
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (!present[i] || found[i] != numbers[i]) return block[i];
    }
    return std::nullopt;
  });
}

/// That each hash has, of the ranks, the place of its key in the input.
std::optional<Hash128> find_rank_out_of_order(const keys::HashedKeys& hashed,
                                              const mphf::RankIndex& ranks,
                                              const util::BuildContext& context) {
  const keys::KeyOrder order(hashed);
  return find_wrong_number(
      hashed.hashes, context,
      [&](std::span<const Hash128> block, std::uint64_t* found, bool* present) {
        ranks.lookup(block, found);
        for (std::size_t i = 0; i < block.size(); ++i) {
          present[i] = found[i] != mphf::RankIndex::kAbsent;
        }
      },
      [&](std::uint64_t first, std::span<std::uint64_t> places) { order.copy(first, places); });
}

[[noreturn]] void fail_other_count(const file::Container& container, std::uint64_t given) {
  fail_mismatch(container.name(), "was built over " + std::to_string(container.header().keys) +
                                      " keys, and " + std::to_string(given) +
                                      " distinct ones were given");
}

/// Returns the number of keys.
std::uint64_t check_mphf(const file::Container& container, const KeyInput& input,
                         const keys::HashOptions& options, const util::BuildContext& context) {
  const mphf::RankIndex ranks(container);
  const bool in_order = mphf::find_algorithm(ranks.algorithm).preserves_order;
  const keys::HashedKeys hashed = in_order ? keys::hash_numbered_keys(input, options, context)
                                           : keys::hash_keys(input, options, context);
  if (hashed.hashes.size() != container.header().keys) {
    fail_other_count(container, hashed.hashes.size());
  }
  const std::optional<Hash128> clash = find_rank_clash(hashed.hashes, ranks, context);
  if (clash) {
    fail_mismatch(container.name(), name_key(input, container.header(), *clash) +
                                        " has no rank of its own, so it is not of the set");
  }
  if (!in_order) return hashed.hashes.size();
  const std::optional<Hash128> misplaced = find_rank_out_of_order(hashed, ranks, context);
  if (misplaced) {
    fail_mismatch(container.name(), name_key(input, container.header(), *misplaced) +
                                        " has another rank than its place in the input");
  }
  return hashed.hashes.size();
}

/// That each hash has its value.
void check_map(const file::Container& container, const KeyInput& input, bool values,
               const keys::HashedKeys& hashed, const util::BuildContext& context) {
  const map::MapFile map(container);
  if (hashed.hashes.size() != container.header().keys) {
    fail_other_count(container, hashed.hashes.size());
  }
  const std::optional<Hash128> wrong = find_wrong_number(
      hashed.hashes, context,
      [&](std::span<const Hash128> block, std::uint64_t* found, bool* present) {
        map.lookup(block, found, present);
      },
      [&](std::uint64_t index, std::span<std::uint64_t> numbers) {
        hashed.values.copy(index, numbers);
      });
  if (wrong) {
    fail_mismatch(container.name(),
                  name_key(input, container.header(), *wrong, values) +
                      (values ? " has not its value" : " has not the number of its line"));
  }
}

void check_filter(const file::Container& container, const KeyInput& input,
                  const keys::SortedHashes& hashes, const util::BuildContext& context) {
  const filter::FilterFile filter(container);
  const std::optional<Hash128> wrong =
      find_wrong(hashes, context, [&](std::span<const Hash128> block) -> std::optional<Hash128> {
        std::array<bool, kBlock> maybe{};
        filter.membership->contains(block, maybe.data());
        for (std::size_t i = 0; i < block.size(); ++i) {
          if (!maybe[i]) return block[i];
        }
        return std::nullopt;
      });
  if (wrong) {
    fail_mismatch(container.name(),
                  name_key(input, container.header(), *wrong) + " is not in the filter");
  }
}

/// That the key, of rank `rank`, has `record`; if that is null, that it has one.
void check_pair(const std::filesystem::path& path, store::EnvironmentReader& reader,
                std::uint64_t rank, std::string_view key, const std::string_view* record) {
  const store::Lookup found = rank == mphf::RankIndex::kAbsent
                                  ? store::Lookup{store::Outcome::absent, {}}
                                  : reader.find(rank, key);
  if (found.outcome == store::Outcome::damaged) {
    throw Error(ErrorKind::corrupt, path.string() + ": damaged: the record of " + util::quote(key) +
                                        " has not its checksum");
  }
  if (found.outcome == store::Outcome::absent) {
    fail_mismatch(path, "there is no record for the key " + util::quote(key));
  }
  if (record != nullptr && found.record != *record) {
    fail_mismatch(path, "the record of " + util::quote(key) + " is another");
  }
}

/// A line without TAB is a key alone. Returns the number of distinct keys.
std::uint64_t check_store(const std::filesystem::path& path, const api::StoreFiles& files,
                          const KeyInput& input, const util::BuildContext& context) {
  const file::Header& header = files.index.header();
  std::deque<store::EnvironmentReader> readers;
  for (unsigned t = 0; t < context.threads; ++t) readers.emplace_back(files.environment);
  const bool lines = input.format.framing == KeyFormat::Framing::lines;
  const keys::UnitFraming framing = keys::UnitFraming::of_records(input.format);
  keys::ChunkReader reader(input.paths, framing, {});
  keys::HashCollector collector(context.threads);
  context.progress.begin("check keys", keys::regular_input_bytes(input.paths).value_or(0),
                         Progress::Unit::bytes);
  keys::for_each_chunk(
      reader, input.paths, framing, context, [&](unsigned thread, const keys::Chunk& chunk) {
        const auto check = [&](std::string_view key, const std::string_view* record) {
          const Hash128 hash = hash_key(key, header.seed);
          check_pair(path, readers[thread], files.ranks.lookup(hash), key, record);
          collector.writer(thread).add(hash);
        };
        if (!lines) {
          keys::for_each_record(chunk, input.format,
                                [&](std::string_view key, std::string_view record, std::uint64_t,
                                    std::size_t) { check(key, &record); });
          return;
        }
        keys::for_each_line(chunk, input.format,
                            [&](std::string_view line, std::uint64_t, std::size_t) {
                              const std::size_t tab = line.find('\t');
                              const std::string_view key = line.substr(0, tab);
                              const std::string_view record =
                                  tab == std::string_view::npos ? "" : line.substr(tab + 1);
                              check(key, tab == std::string_view::npos ? nullptr : &record);
                            });
      });
  const std::uint64_t distinct = collector.sort(context).hashes.size();
  if (distinct != header.keys) {
    fail_mismatch(path, "holds " + std::to_string(header.keys) + " records, and " +
                            std::to_string(distinct) + " distinct keys were given");
  }
  return distinct;
}

}  // namespace

void verify(const std::filesystem::path& path, Progress* progress) {
  Progress own;
  Progress& told = progress != nullptr ? *progress : own;
  if (std::filesystem::is_directory(path)) {
    verify_store(api::StoreFiles(path), told);
    return;
  }
  verify_file(file::Container::open(path), told);
}

std::uint64_t verify_keys(const std::filesystem::path& path, const KeyInput& keys, unsigned threads,
                          Progress* progress, bool values) {
  Progress own;
  const util::BuildContext context{util::thread_count(threads),
                                   progress != nullptr ? *progress : own};
  const auto refuse_values = [&] {
    if (values)
      throw Error(ErrorKind::usage, path.string() + ": is no map, which alone gives values");
  };
  if (std::filesystem::is_directory(path)) {
    const api::StoreFiles files(path);
    refuse_values();
    verify_store(files, context.progress);
    return check_store(path, files, keys, context);
  }
  const file::Container container = file::Container::open(path);
  if (container.header().kind != file::Kind::map) refuse_values();
  verify_file(container, context.progress);
  const keys::HashOptions options{.seed = container.header().seed,
                                  .duplicates = keys::DuplicatePolicy::ignore_hashes,
                                  .hash = api::hash_family(container.header().key_hash)};
  if (container.header().kind == file::Kind::map) {
    const keys::HashedKeys hashed = api::hash_map_input(keys, {.values = values}, options, context);
    check_map(container, keys, values, hashed, context);
    return hashed.hashes.size();
  }
  if (container.header().kind == file::Kind::mphf) {
    return check_mphf(container, keys, options, context);
  }
  const keys::HashedKeys hashed = keys::hash_keys(keys, options, context);
  check_filter(container, keys, hashed.hashes, context);
  return hashed.hashes.size();
}

}  // namespace crivo
