// SPDX-License-Identifier: Apache-2.0
/// The passes over an input that make a key set of it: one, but where keys collide.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/progress.hpp"
#include "crivo/error.hpp"
#include "hashing/siphash.hpp"
#include "input/collision_check.hpp"
#include "input/duplicates.hpp"
#include "input/for_each_chunk.hpp"
#include "input/hash_keys.hpp"
#include "input/input_spool.hpp"
#include "input/places.hpp"
#include "input/resume_directory.hpp"
#include "input/resumed_input.hpp"
#include "input/text_signs.hpp"
#include "stream/key_spread.hpp"
#include "stream/key_stream.hpp"
#include "stream/streamed_keys.hpp"

namespace crivo::input {

/// One input, of any sort of unit, on its way to a key set: passes over it with one seed after
/// another, until no two keys that differ have one hash. `units` says what is done with each:
///     Element, Rest       of the stream; of a unit beside its key, a view into its chunk
///     take(chunk, add)    calls add(key, rest) for each unit of a chunk
///     element(thread, hash, key, rest)   of a unit whose hash is known, in order
/// and `parse` finds the same keys again.
template <typename Units>
class HashPasses {
 public:
  HashPasses(const Sources& sources, const UnitFraming& framing, const Units& units,
             const ParseKeys& parse, const HashOptions& options, const base::BuildContext& context)
      : sources_(sources),
        framing_(framing),
        units_(units),
        parse_(parse),
        options_(options),
        context_(context),
        part_(options.part.value_or(InputPart{})),
        file_bytes_(options.part ? options.part->bytes : regular_input_bytes(sources)),
        keeps_input_(!file_bytes_ && (options.duplicates == DuplicatePolicy::refuse ||
                                      options.duplicates == DuplicatePolicy::ignore)),
        hash_(options.hash, options.seed),
        signs_(sources, framing),
        tells_apart_(options.duplicates == DuplicatePolicy::ignore) {
    if (tells_apart_) secret_ = hashing::SipKey::random();
  }

  void run(const PassHooks& hooks, const UseKeys& use) {
    while (!try_seed(hooks, use)) {
      if (options_.resume != nullptr) options_.resume->forget();
      hash_ = hashing::SeededHash(options_.hash, hash_.seed() + 1);
    }
  }

 private:
  using Element = typename Units::Element;
  using KeyStream = stream::KeyStream<Element>;

  // What a thread works in, on cache lines of its own. (Not thread_local: where there is no memory
  // to note that such a variable is to be destroyed, glibc ends the program.)

  /// Units that are hashed together, and what is kept of a chunk's keys.
  struct alignas(64) Batch {
    std::array<std::string_view, hashing::BatchHash::kMostKeys> keys;
    std::array<typename Units::Rest, hashing::BatchHash::kMostKeys> rests;
    std::array<Hash128, hashing::BatchHash::kMostKeys> hashes;
    unsigned thread = 0;  ///< whose it is
    std::vector<std::uint64_t> low_halves;
    std::vector<std::uint64_t> fingerprints;
  };
  /// Of a chunk that is read again.
  struct alignas(64) HashedChunk {
    std::vector<Hash128> hashes;
    std::vector<std::string_view> keys;
  };

  /// False if keys that differ have one hash under this seed.
  bool try_seed(const PassHooks& hooks, const UseKeys& use) {
    if (hooks.begin) hooks.begin();
    if (options_.resume != nullptr) {
      if (const auto& found = options_.resume->found())
        hash_ = hashing::SeededHash(options_.hash, found->seed);
    }
    KeyStream stream(stream_options());
    stream::Totals totals = hash_all(stream, hooks);
    if (hooks.end) hooks.end();
    const std::uint64_t collected = totals.elements;
    const std::uint64_t free_bytes = stream_bytes_ - std::min(stream_bytes_, stream.memory_bytes());
    stream::StreamedKeys<Element> keys(stream, std::move(totals), hooks.number,
                                       free_bytes + kLeaseBytes);
    try {
      keys.expect_spread(collected * options_.parts, options_.alike);
      return use_keys(keys, stream, collected, free_bytes, use);
    } catch (const stream::UnevenHashes&) {
      stream::fail_uneven(input_name(sources_, 0), hash_.is_hash_key());
    }
  }

  /// The same once all keys are in the stream.
  bool use_keys(stream::StreamedKeys<Element>& keys, const KeyStream& stream,
                std::uint64_t collected, std::uint64_t free_bytes, const UseKeys& use) {
    if (options_.duplicates == DuplicatePolicy::count) {
      keys.keep_repeats();
    } else if (options_.duplicates != DuplicatePolicy::refuse) {
      const std::vector<Hash128> repeated = keys.drop_repeats(
          context_, options_.duplicates == DuplicatePolicy::ignore_hashes ? 0 : most_listed());
      if (!repeated.empty() && !may_drop(repeated, collected, keys.size(), free_bytes))
        return false;
    }
    try {
      use({.keys = keys,
           .seed = hash_.seed(),
           .collected = collected,
           .temp_bytes = temp_bytes_ + stream.temp_bytes(),
           .free_bytes = free_bytes,
           .resumed_bytes = resumed_bytes_,
           .sums = [&keys] { return keys.sums(); },
           .warnings = signs_.warnings()});
      return true;
    } catch (const stream::RepeatedHashes&) {
      const std::vector<Hash128> repeated = keys.drop_repeats(context_, most_listed());
      return may_drop(repeated, collected, keys.size(), free_bytes);
    }
  }

  stream::StreamOptions stream_options() {
    unsigned bits =
        stream::partition_bits_for(options_.expected_keys.value_or(UINT64_MAX), sizeof(Element),
                                   context_.threads, options_.memory_bytes);
    std::filesystem::path log_name;
    if (const ResumeDirectory* const resume = options_.resume) {
      log_name = resume->log();
      if (options_.expected_keys && file_bytes_ && resume->part_bytes() < *file_bytes_) {
        // All is written part by part, whatever the memory.
        const double share =
            static_cast<double>(resume->part_bytes()) / static_cast<double>(*file_bytes_);
        bits = stream::logged_bits_for(*options_.expected_keys, sizeof(Element), share,
                                       options_.memory_bytes, bits);
      }
      if (const auto& found = resume->found()) {
        const std::size_t partitions = found->logged.partitions.size();
        bits = static_cast<unsigned>(std::countr_zero(partitions));
      }
    }
    stream_bytes_ =
        std::max(options_.memory_bytes, stream::least_stream_bytes(context_.threads, bits));
    return {.threads = context_.threads,
            .memory_bytes = stream_bytes_,
            .temp_dir = options_.temp_dir,
            .log_name = log_name,
            .partition_bits = bits,
            .grown = options_.collected,
            .spilled = [this](std::uint64_t bytes) { context_.progress.add_spilled(bytes); }};
  }

  stream::Totals hash_all(KeyStream& stream, const PassHooks& hooks) {
    const std::unique_ptr<InputSpool> kept_before = std::move(kept_);
    if (keeps_input_) kept_ = std::make_unique<InputSpool>(options_.temp_dir);
    const hashing::BatchHash hash_together(hash_.seed());
    std::vector<Batch> batches(context_.threads);
    for (unsigned thread = 0; thread < context_.threads; ++thread) batches[thread].thread = thread;
    const auto hash_chunk = [&](unsigned thread, const Chunk& chunk) {
      add_keys(chunk, stream.writer(thread), batches[thread], hash_together);
      signs_.look_at(chunk);
    };
    signs_.read_again();
    context_.progress.begin("hash", file_bytes_.value_or(0), Progress::Unit::bytes);
    if (options_.resume != nullptr) {
      const ResumedInput input{sources_, framing_,      hash_.seed(),  sizeof(Element),
                               signs_,   hooks.numbers, hooks.records, part_};
      resumed_bytes_ = read_parts(*options_.resume, input, stream, context_, hash_chunk);
    } else if (kept_before) {
      kept_before->for_each_chunk([&](const Chunk& chunk) { hash_chunk(0, chunk); });
    } else {
      ChunkReader reader(sources_, framing_, {.in_order = keeps_input_, .part = part_});
      for_each_chunk(reader, sources_, framing_, context_, hash_chunk);
    }
    if (kept_) temp_bytes_ += kept_->temp_bytes();
    return stream.finish();
  }

  void add_keys(const Chunk& chunk, typename KeyStream::Writer& writer, Batch& batch,
                const hashing::BatchHash& hash_together) {
    batch.low_halves.clear();
    batch.fingerprints.clear();
    std::size_t size = 0;
    units_.take(chunk, [&](std::string_view key, const typename Units::Rest& rest) {
      batch.keys[size] = key;
      batch.rests[size] = rest;
      if (++size != batch.keys.size()) return;
      add_batch(writer, batch, size, hash_together);
      size = 0;
    });
    add_batch(writer, batch, size, hash_together);
    if (kept_) {
      context_.progress.add_spilled(kept_->add(chunk, batch.low_halves, batch.fingerprints));
    }
  }

  /// Of the first `size` units of a batch. (Not inlined: the loop that finds the units has few
  /// registers.)
  [[gnu::noinline]] void add_batch(typename KeyStream::Writer& writer, Batch& batch,
                                   std::size_t size, const hashing::BatchHash& hash_together) {
    const auto keys = std::span(batch.keys).first(size);
    hash_batch(keys, hash_, hash_together, batch.hashes.data());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      writer.add(units_.element(batch.thread, batch.hashes[i], keys[i], batch.rests[i]));
    }
    if (kept_) {
      for (std::size_t i = 0; i < keys.size(); ++i) {
        batch.low_halves.push_back(batch.hashes[i].lo);
        if (tells_apart_) batch.fingerprints.push_back(siphash(keys[i], secret_));
      }
    }
  }

  /// So many repeated hashes are listed, and looked at in memory: some 28 bytes each.
  std::size_t most_listed() const noexcept {
    constexpr std::uint64_t kLeast = std::uint64_t{1} << 12;
    constexpr std::uint64_t kMost = std::uint64_t{1} << 20;
    return std::clamp(options_.memory_bytes / 64, kLeast, kMost);
  }

  /// Whether all keys with a repeated hash are equal, and to be ignored. False if a collision asks
  /// for another seed; throws if there is no other to try, or if equal keys are refused. `repeated`
  /// are all such hashes, or the first most_listed() of them.
  bool may_drop(const std::vector<Hash128>& repeated, std::uint64_t collected,
                std::uint64_t distinct, std::uint64_t free_bytes) {
    const std::uint64_t surplus = collected - distinct;
    const bool ignores = options_.duplicates == DuplicatePolicy::ignore;
    if (ignores) {
      const bool are_all = repeated.size() < most_listed();
      if (!(are_all ? any_collision(repeated) : any_collision_of_many(collected, free_bytes)))
        return true;
    }
    Repeats repeats{true, {}, {}};
    if (!ignores) {
      repeats = look_at_repeats(
          repeated, surplus, sources_, framing_,
          [&](const KeyVisitor& visit) { return replay_repeated(repeated, visit); });
    }
    const bool can_hash_again = !kept_ || kept_->has_all_text();
    const bool has_seeds = hash_.seed() - options_.seed + 1 < kMaxSeeds;
    if (repeats.all_collide && can_hash_again && has_seeds) return false;
    if (ignores) {
      repeats.message =
          input_name(sources_, 0) + ": two different keys have the same 128-bit hash" +
          (can_hash_again ? " under each of " + std::to_string(kMaxSeeds) + " seeds" : "") +
          "; build with another seed";
    }
    // Who chose such keys chose them for any seed that was known.
    if (ignores || repeats.all_collide)
      repeats.place.remedy = hash_.is_hash_key() ? "keyed_hash" : "seed";
    throw Error(ErrorKind::bad_input, repeats.message, repeats.place);
  }

  /// Whether keys that differ have one of the hashes `repeated`.
  bool any_collision(std::span<const Hash128> repeated) {
    if (kept_) return any_kept_collision(repeated);
    CollisionCheck check(repeated, secret_);
    visit_again([&](unsigned, std::span<const Hash128> hashes,
                    std::span<const std::string_view> keys) { check.look_at(hashes, keys); });
    return check.found();
  }

  /// The same of an input that was kept. Only halves of the hashes were: those that differ in the
  /// other half, of which there are none but by an adversary's choice, count as collisions.
  bool any_kept_collision(std::span<const Hash128> repeated) {
    std::vector<Hash128> low_halves;
    low_halves.reserve(repeated.size());
    for (const Hash128& hash : repeated) low_halves.push_back({hash.lo, 0});
    std::ranges::sort(low_halves);
    const auto again = std::ranges::unique(low_halves);
    low_halves.erase(again.begin(), again.end());
    CollisionCheck check(low_halves, secret_);
    std::vector<Hash128> hashes;
    visit_fingerprints(
        [&](std::span<const std::uint64_t> low, std::span<const std::uint64_t> fingerprints) {
          hashes.clear();
          for (const std::uint64_t half : low) hashes.push_back({half, 0});
          check.look_at(hashes, fingerprints);
        });
    return check.found();
  }

  /// Whether any keys that differ have one hash, where those that repeat are too many to list.
  bool any_collision_of_many(std::uint64_t collected, std::uint64_t free_bytes) {
    ManyRepeats check({.keys = collected * options_.parts,
                       .alike = options_.alike,
                       .memory_bytes = free_bytes,
                       .temp_dir = options_.temp_dir},
                      secret_, context_);
    if (kept_) {
      visit_fingerprints(
          [&](std::span<const std::uint64_t> low, std::span<const std::uint64_t> prints) {
            check.look_at(low, prints);
          });
    } else {
      visit_again(
          [&](unsigned thread, std::span<const Hash128> hashes,
              std::span<const std::string_view> keys) { check.look_at(thread, hashes, keys); });
    }
    const bool found = check.found();
    temp_bytes_ += check.temp_bytes();
    return found;
  }

  /// Calls see(thread, hashes, keys) for each chunk of the files, on all threads.
  template <typename See>
  void visit_again(const See& see) {
    context_.progress.begin("compare", file_bytes_.value_or(0), Progress::Unit::bytes);
    ChunkReader reader(sources_, framing_, {.part = part_});
    std::vector<HashedChunk> rooms(context_.threads);
    for_each_chunk(reader, sources_, framing_, context_, [&](unsigned thread, const Chunk& chunk) {
      auto& [hashes, keys] = rooms[thread];
      hashes.clear();
      keys.clear();
      parse_(chunk, [&](std::string_view key, std::uint64_t, std::size_t) {
        hashes.push_back(hash_(key));
        keys.push_back(key);
      });
      see(thread, hashes, keys);
    });
  }

  /// Calls see(Hash128::lo, fingerprints) for each chunk of an input that was kept.
  template <typename See>
  void visit_fingerprints(const See& see) {
    if (kept_->for_each_fingerprint(see)) return;
    throw Error(ErrorKind::io,
                input_name(sources_, 0) +
                    ": whether keys with the same hash are equal is not known, because the input "
                    "could not be kept in the temporary directory " +
                    options_.temp_dir.string() + "; use another",
                {.remedy = "temp_dir"});
  }

  /// The keys that have one of the hashes `repeated`, and some that have half of one, if their text
  /// is not known.
  bool replay_repeated(std::span<const Hash128> repeated, const KeyVisitor& visit) {
    return replay([&](std::uint64_t half, const Place& place, const std::string_view* text) {
      const bool other = text != nullptr && !std::ranges::binary_search(repeated, hash_(*text));
      return other || visit(half, place, text);
    });
  }

  bool replay(const KeyVisitor& visit) {
    return kept_ ? kept_->replay(parse_, visit)
                 : replay_files(sources_, framing_, parse_, hash_, visit);
  }

  /// Of leases at once, beside what the stream leaves of its memory.
  static constexpr std::uint64_t kLeaseBytes = std::uint64_t{24} << 20;

  const Sources& sources_;
  const UnitFraming& framing_;
  const Units& units_;
  const ParseKeys& parse_;
  const HashOptions& options_;
  const base::BuildContext& context_;
  InputPart part_;
  std::optional<std::uint64_t> file_bytes_;
  bool keeps_input_;  ///< it cannot be read again
  hashing::SeededHash hash_;
  TextSigns signs_;
  bool tells_apart_;        ///< equal keys from those that only have one hash
  hashing::SipKey secret_;  ///< of the fingerprints that do it
  std::uint64_t stream_bytes_ = 0;
  std::uint64_t temp_bytes_ = 0;
  std::uint64_t resumed_bytes_ = 0;
  std::unique_ptr<InputSpool> kept_;  ///< by the pass at hand
};

}  // namespace crivo::input
