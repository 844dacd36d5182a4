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
#include "hashing/siphash.hpp"
#include "input/first_page.hpp"
#include "input/for_each_chunk.hpp"
#include "input/hash_keys.hpp"
#include "input/hash_log.hpp"
#include "input/input_count.hpp"
#include "input/input_spool.hpp"
#include "input/repeat_check.hpp"
#include "input/resume_directory.hpp"
#include "stream/key_spread.hpp"
#include "stream/key_stream.hpp"
#include "stream/pass_store.hpp"
#include "stream/streamed_keys.hpp"

namespace crivo::input {

/// One input, of any sort of unit, on its way to a key set: passes over it with one seed after
/// another, until no two keys that differ have one hash. `units` says what is done with each:
///     HashedKey, Rest       of the stream; of a unit beside its key, a view into its chunk
///     take(chunk, add)    calls add(key, rest) for each unit of a chunk
///     hashed(thread, hash, key, rest)   of a unit whose hash is known, in order
/// and `parse` finds the same keys again.
template <typename Units>
class HashPasses {
 public:
  HashPasses(const Sources& sources, const UnitFraming& framing, const Units& units,
             const ParseKeys& parse, const HashOptions& options, const base::BuildContext& context)
      : input_{sources,
               framing,
               parse,
               options,
               context,
               options.part.value_or(InputPart{}),
               options.part ? options.part->bytes : regular_input_bytes(sources)},
        options_(options),
        context_(context),
        units_(units),
        keeps_input_(!sources.can_be_read_again() &&
                     (options.duplicates == DuplicatePolicy::refuse ||
                      options.duplicates == DuplicatePolicy::ignore)),
        hash_(options.hash, options.seed),
        signs_(sources, framing),
        tells_apart_(options.duplicates == DuplicatePolicy::ignore) {
    if (tells_apart_) secret_ = hashing::SipKey::random();
  }

  void run(const PassHooks& hooks, const UseKeys& use) {
    if (options_.passes > 1 && !input_.sources.can_be_read_again())
      throw Error(ErrorKind::usage, input_name(input_.sources, 0) +
                                        ": cannot be read again, so it is not read in passes");
    while (!try_seed(hooks, use)) {
      if (options_.resume != nullptr) options_.resume->forget();
      hash_ = hashing::SeededHash(options_.hash, hash_.seed() + 1);
    }
  }

 private:
  using HashedKey = typename Units::HashedKey;
  using KeyStream = stream::KeyStream<HashedKey>;

  // The room of a thread, on cache lines of its own. (Not thread_local: where there is no memory to
  // note that such a variable is to be destroyed, glibc ends the program.)

  /// Units that are hashed together, and what is kept of a chunk's keys.
  struct alignas(64) Batch {
    std::array<std::string_view, hashing::BatchHash::kMostKeys> keys;
    std::array<typename Units::Rest, hashing::BatchHash::kMostKeys> rests;
    std::array<Hash128, hashing::BatchHash::kMostKeys> hashes;
    unsigned thread = 0;  ///< whose it is
    std::vector<std::uint64_t> low_halves;
    std::vector<std::uint64_t> fingerprints;
  };

  /// False if keys that differ have one hash under this seed.
  bool try_seed(const PassHooks& hooks, const UseKeys& use) {
    if (hooks.begin) hooks.begin();
    if (options_.resume != nullptr) {
      if (const auto& found = options_.resume->found())
        hash_ = hashing::SeededHash(options_.hash, found->seed);
    }
    if (options_.passes > 1) return try_in_passes(use);
    KeyStream stream(stream_options());
    stream::Totals totals = hash_all(stream, hooks);
    if (hooks.end) hooks.end();
    return use_stream(stream, std::move(totals), hooks.number, use);
  }

  /// The same, with the hashes of one run of partitions at a time.
  bool try_in_passes(const UseKeys& use) {
    if constexpr (requires { Units::kTakesPasses; }) {
      InputCount<HashedKey> count(context_.threads, stream_options().partition_bits);
      stream::PassStore<HashedKey> store(stream_options(), options_.passes,
                                         [&](KeyStream& stream, const stream::PartitionRun& run) {
                                           hash_run(stream, run, count);
                                         });
      return use_stream(store, count.totals(), {}, use);
    } else {
      throw Error(ErrorKind::usage,
                  "an input is not read in passes where the order of its keys counts");
    }
  }

  template <typename Store>
  bool use_stream(Store& stream, stream::Totals totals, const stream::NumberValues& number,
                  const UseKeys& use) {
    const std::uint64_t collected = totals.hashed_keys;
    const std::uint64_t free_bytes = stream_bytes_ - std::min(stream_bytes_, stream.memory_bytes());
    stream::StreamedKeys<HashedKey> keys(stream, std::move(totals), number,
                                         free_bytes + kLeaseBytes);
    try {
      keys.expect_spread(collected * options_.parts, options_.alike);
      return use_keys(keys, stream, collected, free_bytes, use);
    } catch (const stream::UnevenHashes&) {
      stream::fail_uneven(input_name(input_.sources, 0), hash_.is_hash_key());
    }
  }

  /// The same once all keys are in the stream.
  template <typename Store>
  bool use_keys(stream::StreamedKeys<HashedKey>& keys, const Store& stream, std::uint64_t collected,
                std::uint64_t free_bytes, const UseKeys& use) {
    std::optional<std::uint64_t> distinct;
    if (options_.duplicates == DuplicatePolicy::count) {
      keys.keep_repeats();
    } else if (options_.duplicates == DuplicatePolicy::differing) {
      refuse_many(keys.least_lease_bytes());
      distinct = keys.keep_differing(context_);
    } else if (options_.duplicates != DuplicatePolicy::refuse) {
      const std::vector<Hash128> repeated =
          keys.drop_repeats(context_, options_.duplicates == DuplicatePolicy::ignore_hashes
                                          ? 0
                                          : RepeatCheck::most_listed(options_));
      if (!repeated.empty() && !may_drop(repeated, collected, keys.size(), free_bytes))
        return false;
    }
    try {
      use({.keys = keys,
           .seed = hash_.seed(),
           .distinct = distinct,
           .collected = collected,
           .temp_bytes = temp_bytes_ + stream.temp_bytes(),
           .free_bytes = free_bytes,
           .resumed_bytes = resumed_bytes_,
           .sums = [&keys] { return keys.sums(); },
           .warnings = signs_.warnings()});
      return true;
    } catch (const stream::RepeatedHashes&) {
      const std::vector<Hash128> repeated =
          keys.drop_repeats(context_, RepeatCheck::most_listed(options_));
      return may_drop(repeated, collected, keys.size(), free_bytes);
    }
  }

  stream::StreamOptions stream_options() {
    unsigned bits =
        stream::partition_bits_for(options_.expected_keys.value_or(UINT64_MAX), sizeof(HashedKey),
                                   context_.threads, options_.memory_bytes);
    std::filesystem::path log_name;
    if (const ResumeDirectory* const resume = options_.resume) {
      log_name = resume->log();
      if (options_.expected_keys && input_.file_bytes &&
          resume->part_bytes() < *input_.file_bytes) {
        // All is written part by part, whatever the memory.
        const double share =
            static_cast<double>(resume->part_bytes()) / static_cast<double>(*input_.file_bytes);
        bits = stream::logged_bits_for(*options_.expected_keys, sizeof(HashedKey), share,
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
    std::vector<Batch> batches = batches_of_threads();
    const auto hash_chunk = [&](unsigned thread, const Chunk& chunk) {
      auto& writer = stream.writer(thread);
      add_keys(chunk, batches[thread], hash_together,
               [&](const HashedKey& hashed) { writer.add(hashed); });
      signs_.look_at(chunk);
    };
    signs_.read_again();
    context_.progress.begin("hash", input_.file_bytes.value_or(0), Progress::Unit::bytes);
    if (options_.resume != nullptr) {
      const ResumedInput input{input_.sources,    input_.framing, hash_.seed(),
                               sizeof(HashedKey), signs_,         hooks.numbers,
                               hooks.records,     hooks.names,    input_.part};
      resumed_bytes_ = read_parts(*options_.resume, input, stream, context_, hash_chunk);
    } else if (kept_before) {
      kept_before->for_each_chunk([&](const Chunk& chunk) { hash_chunk(0, chunk); });
    } else {
      ChunkReader reader(input_.sources, input_.framing,
                         {.in_order = keeps_input_, .part = input_.part});
      for_each_chunk(reader, input_.sources, input_.framing, context_, hash_chunk);
    }
    if (kept_) temp_bytes_ += kept_->temp_bytes();
    return stream.finish();
  }

  /// Adds the hashed keys of a run of partitions, and counts all. The first reading is a phase of
  /// the build; the others belong to that in which the keys are taken.
  void hash_run(KeyStream& stream, const stream::PartitionRun& run, InputCount<HashedKey>& count) {
    const bool is_first = count.is_first();
    const hashing::BatchHash hash_together(hash_.seed());
    std::vector<Batch> batches = batches_of_threads();
    if (is_first) {
      signs_.read_again();
      context_.progress.begin("hash", input_.file_bytes.value_or(0), Progress::Unit::bytes);
    }
    Progress untold;
    const base::BuildContext context{context_.threads, is_first ? context_.progress : untold,
                                     context_.scratch};
    ChunkReader reader(input_.sources, input_.framing, {});
    for_each_chunk(reader, input_.sources, input_.framing, context,
                   [&](unsigned thread, const Chunk& chunk) {
                     auto& writer = stream.writer(thread);
                     auto& counted = count.of_thread(thread);
                     add_keys(chunk, batches[thread], hash_together, [&](const HashedKey& hashed) {
                       const std::uint64_t partition = counted.add(hashed);
                       if (partition - run.begin < run.size()) writer.add(hashed);
                     });
                     if (is_first) {
                       signs_.look_at(chunk);
                     } else {
                       context_.progress.add(0);
                     }
                   });
    count.end_reading(input_name(input_.sources, 0));
    if (is_first && options_.collected) options_.collected(count.totals().hashed_keys);
  }

  std::vector<Batch> batches_of_threads() const {
    std::vector<Batch> batches(context_.threads);
    for (unsigned thread = 0; thread < context_.threads; ++thread) batches[thread].thread = thread;
    return batches;
  }

  template <typename Add>
  void add_keys(const Chunk& chunk, Batch& batch, const hashing::BatchHash& hash_together,
                const Add& add) {
    batch.low_halves.clear();
    batch.fingerprints.clear();
    std::size_t size = 0;
    units_.take(chunk, [&](std::string_view key, const typename Units::Rest& rest) {
      batch.keys[size] = key;
      batch.rests[size] = rest;
      if (++size != batch.keys.size()) return;
      add_batch(batch, size, hash_together, add);
      size = 0;
    });
    add_batch(batch, size, hash_together, add);
    if (kept_) {
      context_.progress.add_spilled(kept_->add(chunk, batch.low_halves, batch.fingerprints));
    }
  }

  /// Adds the first `size` units of a batch. (Not inlined: the loop that finds the units has few
  /// registers.)
  template <typename Add>
  [[gnu::noinline]] void add_batch(Batch& batch, std::size_t size,
                                   const hashing::BatchHash& hash_together, const Add& add) {
    const auto keys = std::span(batch.keys).first(size);
    hash_batch(keys, hash_, hash_together, batch.hashes.data());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      add(units_.hashed(batch.thread, batch.hashes[i], keys[i], batch.rests[i]));
    }
    if (kept_) {
      for (std::size_t i = 0; i < keys.size(); ++i) {
        batch.low_halves.push_back(batch.hashes[i].lo);
        if (tells_apart_) batch.fingerprints.push_back(siphash(keys[i], secret_));
      }
    }
  }

  /// Throws Error(io) if equal keys, which stay together, do not fit in memory.
  void refuse_many(std::uint64_t bytes) const {
    if (bytes <= std::max(options_.memory_bytes, kLeaseBytes)) return;
    throw Error(ErrorKind::io,
                input_name(input_.sources, 0) + ": a key stands in so many rows that it takes " +
                    std::to_string(base::div_ceil(bytes, std::uint64_t{1} << 20)) +
                    " MiB of memory for keys",
                {.remedy = "memory"});
  }

  bool may_drop(const std::vector<Hash128>& repeated, std::uint64_t collected,
                std::uint64_t distinct, std::uint64_t free_bytes) {
    RepeatCheck check(input_, hash_, secret_, kept_.get());
    const bool may = check.may_drop(repeated, collected, distinct, free_bytes);
    temp_bytes_ += check.temp_bytes();
    return may;
  }

  /// The bytes of leases at once, beside what the stream leaves of its memory.
  static constexpr std::uint64_t kLeaseBytes = std::uint64_t{24} << 20;

  const PassInput input_;
  const HashOptions& options_;
  const base::BuildContext& context_;
  const Units& units_;
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
