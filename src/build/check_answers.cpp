// SPDX-License-Identifier: Apache-2.0
#include "build/check_answers.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <ranges>
#include <string>
#include <vector>

#include "build/built_hash.hpp"
#include "build/chosen.hpp"
#include "build/given_keys.hpp"
#include "build/map_input.hpp"
#include "input/chunk_numbers.hpp"
#include "input/hash_keys.hpp"
#include "input/key_order.hpp"
#include "lookup/chain_opener.hpp"
#include "lookup/filter_file.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/kinds.hpp"
#include "lookup/map_file.hpp"
#include "lookup/rank_index.hpp"
#include "lookup/row_layers.hpp"

namespace crivo::index {
namespace {

constexpr std::size_t kCheckBlock = 256;

/// One check, of one file and input.
class AnswerCheck {
 public:
  AnswerCheck(const file::Container& container, const KeyInput& input, const CheckOptions& options,
              const base::BuildContext& context)
      : container_(container),
        input_(input),
        options_(options),
        context_(context),
        hash_(hash_family(container.header().key_hash, input), container.header().seed),
        keys_(container.header().keys),
        rereads_(input::regular_input_bytes(input).has_value()) {}

  std::uint64_t mphf() {
    const RankIndex ranks(container_);
    const bool in_order = find_algorithm(ranks.algorithm).preserves_order;
    if (rereads_ && (in_order ? has_line_ranks(ranks) : has_own_ranks(ranks))) return keys_;
    const auto hash_all = in_order ? input::hash_numbered_keys : input::hash_keys;
    // Beside the stream there is a bit a rank.
    hash_all(input_, stream_options(keys_ / 8), context_, [&](const input::KeySet& set) {
      expect_count(set);
      if (const auto clash = find_rank_clash(set.keys, ranks)) {
        fail(*clash, " shares its rank with another key, so it is not in the set");
      }
      if (!in_order) return;
      if (const auto misplaced = find_rank_out_of_order(set, ranks)) {
        fail(*misplaced, " does not have its place in the input as rank");
      }
    });
    return keys_;
  }

  std::uint64_t map() {
    const map::MapFile map(container_);
    if (!options_.values && rereads_ && has_line_values(map)) return keys_;
    hash_map_input(input_, {.values = options_.values, .form = value_form(container_.header())},
                   stream_options(), context_, [&](const input::KeySet& set) {
                     expect_count(set);
                     if (const auto wrong = find_wrong_value(set.keys, map)) {
                       fail(*wrong, options_.values ? " does not have its value"
                                                    : " does not have its line number as value");
                     }
                   });
    return keys_;
  }

  /// Checks rows of a file or a chain; the keys given are those of some of its rows.
  std::uint64_t rows() {
    is_of_rows_ = true;
    const auto links = exact::links_of(container_, file::Kind::rows);
    const tables::RowLayers layers(container_, links);
    std::vector<input::RowFile> known;
    for (std::uint64_t i = 0; i < layers.files(); ++i) {
      const tables::RowLayer& layer = layers.layer_of(i);
      if (!layers.removed().has(i))
        known.push_back({std::string(layers.name(i)), layer.files.rows_of(i - layer.first_file)});
    }
    std::ranges::sort(known, {}, &input::RowFile::name);
    std::uint64_t row = 0;
    std::map<std::string_view, std::uint64_t> first_rows;
    for (const input::RowFile& file : known) {
      first_rows.emplace(file.name, row);
      row += file.rows;
    }
    input::RowFiles files(known);
    input::HashOptions options = stream_options();
    if (layers.has_lists()) options.duplicates = input::DuplicatePolicy::differing;
    std::uint64_t given = 0;
    RowsOptions choices;
    take_key_choices(layers.layers().back().container->metadata(), choices);
    const KeyInput pairs = rows_input(input_, choices);
    input::hash_rows(pairs, files, options, context_, [&](const input::KeySet& set) {
      given = set.keys.size();
      if (links.empty()) expect_count(set);
      const auto wrong =
          find_wrong(set.keys, [&](const stream::KeySlice& block) -> std::optional<Hash128> {
            for (std::size_t i = 0; i < block.size(); ++i) {
              if (!has_row(layers, first_rows, block.hashes[i], block.values[i]))
                return block.hashes[i];
            }
            return std::nullopt;
          });
      if (wrong) fail(*wrong, " is in another row");
      if (!links.empty() || given == layers.places()) return;
      throw Error(ErrorKind::mismatch, container_.name() + ": has keys in " +
                                           std::to_string(layers.places()) + " places, and " +
                                           std::to_string(given) + " were given");
    });
    return given;
  }

  std::uint64_t filter() {
    const auto links = exact::links_of(container_, file::Kind::filter);
    const filter::LinkedFilter filter(exact::pointers(container_, links));
    std::atomic<std::uint64_t> given{0};
    std::mutex mutex;
    std::optional<Hash128> wrong;
    begin_check();
    input::visit_hashes(input_, hash_, context_,
                        [&](const input::Chunk&, std::span<const Hash128> hashes) {
                          given.fetch_add(hashes.size(), std::memory_order_relaxed);
                          for_each_block(hashes, [&](std::span<const Hash128> block) {
                            std::array<bool, kCheckBlock> maybe{};
                            filter.membership().contains(block, maybe.data());
                            for (std::size_t i = 0; i < block.size(); ++i) {
                              if (maybe[i]) continue;
                              const std::scoped_lock lock(mutex);
                              if (!wrong || block[i] < *wrong) wrong = block[i];
                            }
                          });
                        });
    if (wrong) fail(*wrong, " is not in the filter");
    return given;
  }

 private:
  /// Whether some layer has the key in that row of all files.
  static bool has_row(const tables::RowLayers& layers,
                      const std::map<std::string_view, std::uint64_t>& first_rows, Hash128 hash,
                      std::uint64_t wanted) {
    return std::ranges::any_of(layers.layers(), [&](const tables::RowLayer& layer) {
      const auto row_of = [&](std::uint64_t number) -> std::uint64_t {
        if (number >= layer.files.rows()) return UINT64_MAX;
        const tables::RowPlace place = layer.files.place(number);
        const auto file = first_rows.lower_bound(layer.files.name(place.file));
        if (file == first_rows.end()) return UINT64_MAX;
        return file->second + (file->first == layer.files.name(place.file) ? place.row : 0);
      };
      const auto is_wanted = [&](std::uint64_t number) {
        return layers.place(layer, number) && row_of(number) == wanted;
      };
      if (const tables::RowLists* const lists = layer.keys.lists()) {  // of rows that ascend
        const tables::RowLists::Places own = lists->find(hash);
        const auto places = std::views::iota(own.begin, own.end);
        const auto end = std::ranges::upper_bound(
            places, wanted, {}, [&](std::uint64_t place) { return row_of(lists->row(place)); });
        return end != places.begin() && is_wanted(lists->row(*(end - 1)));
      }
      const std::optional<std::uint64_t> number = layer.keys.map()->lookup(hash);
      return number && is_wanted(*number);
    });
  }

  template <typename Visit>
  static void for_each_block(std::span<const Hash128> hashes, Visit&& visit) {
    for (std::size_t begin = 0; begin < hashes.size(); begin += kCheckBlock) {
      visit(hashes.subspan(begin, std::min(kCheckBlock, hashes.size() - begin)));
    }
  }

  void begin_check() {
    context_.progress.begin("check keys", input::regular_input_bytes(input_).value_or(0),
                            Progress::Unit::bytes);
  }

  /// Options of a stream that leaves so many bytes for something else; the file is mapped, too.
  input::HashOptions stream_options(std::uint64_t other_bytes = 0) const {
    const std::uint64_t used = other_bytes + container_.bytes();
    return {.seed = container_.header().seed,
            .duplicates = input::DuplicatePolicy::ignore_hashes,
            .temp_dir = options_.temp_dir,
            .memory_bytes = std::max(options_.memory_bytes / 2,
                                     options_.memory_bytes - std::min(options_.memory_bytes, used)),
            .expected_keys = keys_,
            .hash = hash_family(container_.header().key_hash, input_)};
  }

  /// Whether the input is n keys with n ranks.
  bool has_own_ranks(const RankIndex& ranks) {
    RankBits taken(keys_);
    std::atomic<bool> proven{true};
    std::atomic<std::uint64_t> given{0};
    begin_check();
    input::visit_hashes(input_, hash_, context_,
                        [&](const input::Chunk&, std::span<const Hash128> hashes) {
                          if (!proven.load(std::memory_order_relaxed)) return;
                          given.fetch_add(hashes.size(), std::memory_order_relaxed);
                          for_each_block(hashes, [&](std::span<const Hash128> block) {
                            std::array<std::uint64_t, kCheckBlock> found{};
                            ranks.lookup(block, found.data());
                            bool each = true;
                            for (std::size_t i = 0; i < block.size(); ++i) {
                              if (found[i] != RankIndex::kAbsent) taken.prefetch(found[i]);
                            }
                            for (std::size_t i = 0; i < block.size(); ++i) {
                              each = each && found[i] != RankIndex::kAbsent && taken.mark(found[i]);
                            }
                            if (!each) proven.store(false, std::memory_order_relaxed);
                          });
                        });
    return proven && given == keys_;
  }

  /// Whether the input is n keys, each of which has, by find(block, found, present), the number of
  /// its line. Lines are counted when all were seen: within a chunk they ascend, so what its first
  /// has tells how many have to stand before it.
  template <typename Find>
  bool has_line_numbers(Find&& find) {
    struct Begin {
      std::size_t file;
      std::uint64_t sequence;
      std::uint64_t number;
    };
    input::ChunkNumbers numbers(input::Sources(input_).size());
    std::mutex mutex;
    std::vector<Begin> begins;
    std::atomic<bool> proven{true};
    std::atomic<std::uint64_t> given{0};
    begin_check();
    input::visit_hashes(input_, hash_, context_,
                        [&](const input::Chunk& chunk, std::span<const Hash128> hashes) {
                          if (!proven.load(std::memory_order_relaxed) || hashes.empty()) return;
                          given.fetch_add(hashes.size(), std::memory_order_relaxed);
                          numbers.note(chunk, hashes.size());
                          std::uint64_t first = 0;
                          std::uint64_t at = 0;
                          bool each = true;
                          for_each_block(hashes, [&](std::span<const Hash128> block) {
                            std::array<std::uint64_t, kCheckBlock> found{};
                            std::array<bool, kCheckBlock> present{};
                            find(block, found.data(), present.data());
                            if (at == 0) first = found[0];
                            for (std::size_t i = 0; i < block.size(); ++i) {
                              each = each && present[i] && found[i] == first + at + i;
                            }
                            at += block.size();
                          });
                          if (!each) proven.store(false, std::memory_order_relaxed);
                          const std::scoped_lock lock(mutex);
                          begins.push_back({chunk.start.file, chunk.sequence, first});
                        });
    if (!proven || given != keys_) return false;
    numbers.finish();
    return std::ranges::all_of(begins, [&](const Begin& begin) {
      return begin.number == numbers.number(begin.file, begin.sequence);
    });
  }
  bool has_line_values(const map::MapFile& map) {
    return has_line_numbers([&](std::span<const Hash128> block, std::uint64_t* found,
                                bool* present) { map.lookup(block, found, present); });
  }
  bool has_line_ranks(const RankIndex& ranks) {
    return has_line_numbers(
        [&](std::span<const Hash128> block, std::uint64_t* found, bool* present) {
          ranks.lookup(block, found);
          for (std::size_t i = 0; i < block.size(); ++i) {
            present[i] = found[i] != RankIndex::kAbsent;
          }
        });
  }

  // The checks of sorted keys.

  /// Runs check(block) over the keys on every thread; it returns a hash that is answered wrongly,
  /// or nothing. Returns the least of those.
  template <typename Check>
  std::optional<Hash128> find_wrong(const stream::HashSource& keys, Check&& check) {
    std::mutex mutex;
    std::optional<Hash128> wrong;
    context_.progress.begin("check keys", keys.size());
    keys.for_each({}, context_, [&](const stream::KeySlice& some) {
      for (std::uint64_t begin = 0; begin < some.size(); begin += kCheckBlock) {
        const auto found = check(some.part(begin, std::min(kCheckBlock, some.size() - begin)));
        if (!found) continue;
        const std::scoped_lock lock(mutex);
        if (!wrong || *found < *wrong) wrong = *found;
        return;
      }
      context_.progress.add(some.size());
    });
    return wrong;
  }

  /// That the hashes and the ranks [0, n) are in one-to-one correspondence.
  std::optional<Hash128> find_rank_clash(const stream::HashSource& keys, const RankIndex& ranks) {
    RankBits taken(keys.size());
    return find_wrong(keys, [&](const stream::KeySlice& block) -> std::optional<Hash128> {
      std::array<std::uint64_t, kCheckBlock> found{};
      ranks.lookup(block.hashes, found.data());
      for (std::size_t i = 0; i < block.size(); ++i) {
        if (found[i] == RankIndex::kAbsent || !taken.mark(found[i])) return block.hashes[i];
      }
      return std::nullopt;
    });
  }

  /// That each hash has, of the ranks, the place of its key in the input.
  std::optional<Hash128> find_rank_out_of_order(const input::KeySet& set, const RankIndex& ranks) {
    const input::KeyOrder order(set.keys.whole(context_).values, set.collected);
    return find_wrong(set.keys, [&](const stream::KeySlice& block) -> std::optional<Hash128> {
      std::array<std::uint64_t, kCheckBlock> found{};
      ranks.lookup(block.hashes, found.data());
      for (std::size_t i = 0; i < block.size(); ++i) {
        if (found[i] != order.place(block.values[i])) return block.hashes[i];
      }
      return std::nullopt;
    });
  }

  /// That each hash has its value.
  std::optional<Hash128> find_wrong_value(const stream::HashSource& keys, const map::MapFile& map) {
    return find_wrong(keys, [&](const stream::KeySlice& block) -> std::optional<Hash128> {
      std::array<std::uint64_t, kCheckBlock> found{};
      std::array<bool, kCheckBlock> present{};
      map.lookup(block.hashes, found.data(), present.data());
      for (std::size_t i = 0; i < block.size(); ++i) {
        if (!present[i] || found[i] != block.values[i]) return block.hashes[i];
      }
      return std::nullopt;
    });
  }

  void expect_count(const input::KeySet& set) const {
    const std::uint64_t given = set.distinct.value_or(set.keys.size());
    if (given == keys_) return;
    throw Error(ErrorKind::mismatch, container_.name() + ": was built over " +
                                         std::to_string(keys_) + " keys, and " +
                                         std::to_string(given) + " distinct ones were given");
  }

  /// Names the key with a hash that was answered wrongly, by its place and text where they can be
  /// had again.
  [[noreturn]] void fail(Hash128 hash, const std::string& problem) const {
    const bool pairs = options_.values || is_of_rows_;
    const std::optional<FoundKey> found = find_key(input_, container_.header(), {&hash, 1}, pairs);
    const std::string key = found ? "the key " + found->text + " (" + found->place + ")" : "a key";
    throw Error(ErrorKind::mismatch, container_.name() + ": " + key + problem);
  }

  const file::Container& container_;
  const KeyInput& input_;
  const CheckOptions& options_;
  const base::BuildContext& context_;
  const hashing::SeededHash hash_;
  const std::uint64_t keys_;  ///< of the file
  const bool rereads_;        ///< the input, if need be
  bool is_of_rows_ = false;
};

}  // namespace

std::uint64_t check_mphf(const file::Container& container, const KeyInput& input,
                         const CheckOptions& options, const base::BuildContext& context) {
  return AnswerCheck(container, input, options, context).mphf();
}

std::uint64_t check_filter(const file::Container& container, const KeyInput& input,
                           const CheckOptions& options, const base::BuildContext& context) {
  return AnswerCheck(container, input, options, context).filter();
}

std::uint64_t check_map(const file::Container& container, const KeyInput& input,
                        const CheckOptions& options, const base::BuildContext& context) {
  return AnswerCheck(container, input, options, context).map();
}

std::uint64_t check_rows(const file::Container& container, const KeyInput& input,
                         const CheckOptions& options, const base::BuildContext& context) {
  return AnswerCheck(container, input, options, context).rows();
}

}  // namespace crivo::index
