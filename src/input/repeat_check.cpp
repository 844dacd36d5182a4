// SPDX-License-Identifier: Apache-2.0
#include "input/repeat_check.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <string>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "crivo/error.hpp"
#include "input/for_each_chunk.hpp"
#include "input/places.hpp"
#include "stream/streamed_keys.hpp"

namespace crivo::input {
namespace {

/// A chunk that is read again; each thread has one, on cache lines of its own.
struct alignas(64) HashedChunk {
  std::vector<Hash128> hashes;
  std::vector<std::string_view> keys;
};

}  // namespace

std::size_t RepeatCheck::most_listed(const HashOptions& options) noexcept {
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 12;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 20;
  return std::clamp(options.memory_bytes / 64, kLeast, kMost);
}

bool RepeatCheck::may_drop(const std::vector<Hash128>& repeated, std::uint64_t collected,
                           std::uint64_t distinct, std::uint64_t free_bytes) {
  const std::uint64_t surplus = collected - distinct;
  const bool ignores = input_.options.duplicates == DuplicatePolicy::ignore;
  if (ignores) {
    const bool are_all = repeated.size() < most_listed(input_.options);
    if (!(are_all ? any_collision(repeated) : any_collision_of_many(collected, free_bytes)))
      return true;
  }
  Repeats repeats{true, {}, {}};
  if (!ignores) {
    repeats =
        look_at_repeats(repeated, surplus, input_.sources, input_.framing,
                        [&](const KeyVisitor& visit) { return replay_repeated(repeated, visit); });
  }
  const bool can_hash_again = !kept_ || kept_->has_all_text();
  const bool has_seeds = hash_.seed() - input_.options.seed + 1 < kMaxSeeds;
  if (repeats.all_collide && can_hash_again && has_seeds) return false;
  if (ignores) {
    repeats.message =
        input_name(input_.sources, 0) + ": two different keys have the same 128-bit hash" +
        (can_hash_again ? " under each of " + std::to_string(kMaxSeeds) + " seeds" : "") +
        "; build with another seed";
  }
  // Who chose such keys chose them for any seed that was known.
  if (ignores || repeats.all_collide)
    repeats.place.remedy = hash_.is_hash_key() ? "keyed_hash" : "seed";
  throw Error(ErrorKind::bad_input, repeats.message, repeats.place);
}

/// Whether keys that differ have one of the hashes `repeated`.
bool RepeatCheck::any_collision(std::span<const Hash128> repeated) {
  if (kept_) return any_kept_collision(repeated);
  CollisionCheck check(repeated, secret_);
  visit_again([&](unsigned, std::span<const Hash128> hashes,
                  std::span<const std::string_view> keys) { check.look_at(hashes, keys); });
  return check.found();
}

/// The same of an input that was kept. Only halves of the hashes were: those that differ in the
/// other half, of which there are none but by an adversary's choice, count as collisions.
bool RepeatCheck::any_kept_collision(std::span<const Hash128> repeated) {
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
bool RepeatCheck::any_collision_of_many(std::uint64_t collected, std::uint64_t free_bytes) {
  ManyRepeats check({.keys = collected * input_.options.parts,
                     .alike = input_.options.alike,
                     .memory_bytes = free_bytes,
                     .temp_dir = input_.options.temp_dir},
                    secret_, input_.context);
  if (kept_) {
    visit_fingerprints([&](std::span<const std::uint64_t> low,
                           std::span<const std::uint64_t> prints) { check.look_at(low, prints); });
  } else {
    visit_again(
        [&](unsigned thread, std::span<const Hash128> hashes,
            std::span<const std::string_view> keys) { check.look_at(thread, hashes, keys); });
  }
  const bool found = check.found();
  temp_bytes_ += check.temp_bytes();
  return found;
}

/// Calls visit(thread, hashes, keys) for each chunk of the files, on all threads.
void RepeatCheck::visit_again(const VisitHashes& visit) {
  input_.context.progress.begin("compare", input_.file_bytes.value_or(0), Progress::Unit::bytes);
  ChunkReader reader(input_.sources, input_.framing, {.part = input_.part});
  std::vector<HashedChunk> rooms(input_.context.threads);
  for_each_chunk(reader, input_.sources, input_.framing, input_.context,
                 [&](unsigned thread, const Chunk& chunk) {
                   auto& [hashes, keys] = rooms[thread];
                   hashes.clear();
                   keys.clear();
                   input_.parse(chunk, [&](std::string_view key, std::uint64_t, std::size_t) {
                     hashes.push_back(hash_(key));
                     keys.push_back(key);
                   });
                   visit(thread, hashes, keys);
                 });
}

/// Calls visit(Hash128::lo, fingerprints) for each chunk of an input that was kept.
void RepeatCheck::visit_fingerprints(const VisitFingerprints& visit) {
  if (kept_->for_each_fingerprint(visit)) return;
  throw Error(ErrorKind::io,
              input_name(input_.sources, 0) +
                  ": whether keys with the same hash are equal is not known, because the input "
                  "could not be kept in the temporary directory " +
                  input_.options.temp_dir.string() + "; use another",
              {.remedy = "temp_dir"});
}

/// The keys that have one of the hashes `repeated`, and some that have half of one, if their text
/// is not known.
bool RepeatCheck::replay_repeated(std::span<const Hash128> repeated, const KeyVisitor& visit) {
  const KeyVisitor visit_listed = [&](std::uint64_t half, const Place& place,
                                      const std::string_view* text) {
    const bool other = text != nullptr && !std::ranges::binary_search(repeated, hash_(*text));
    return other || visit(half, place, text);
  };
  return kept_ ? kept_->replay(input_.parse, visit_listed)
               : replay_files(input_.sources, input_.framing, input_.parse, hash_, visit_listed);
}

CollisionCheck::CollisionCheck(std::span<const Hash128> repeated, const hashing::SipKey& secret)
    : repeated_(repeated),
      secret_(secret),
      index_bits_(static_cast<unsigned>(std::bit_width(repeated.size() / 2))),
      index_((std::size_t{1} << index_bits_) + 1),
      seen_(std::make_unique<std::atomic<std::uint64_t>[]>(repeated.size())) {
  for (const Hash128& hash : repeated_) ++index_[base::top_bits(hash.hi, index_bits_) + 1];
  for (std::size_t i = 1; i < index_.size(); ++i) index_[i] += index_[i - 1];
}

void CollisionCheck::look_at(std::span<const Hash128> hashes,
                             std::span<const std::string_view> keys) noexcept {
  see_each(hashes, [&](std::size_t i) { return siphash(keys[i], secret_); });
}

void CollisionCheck::look_at(std::span<const Hash128> hashes,
                             std::span<const std::uint64_t> fingerprints) noexcept {
  see_each(hashes, [&](std::size_t i) { return fingerprints[i]; });
}

template <typename Fingerprint>
void CollisionCheck::see_each(std::span<const Hash128> hashes,
                              const Fingerprint& fingerprint_of) noexcept {
  constexpr std::size_t kBlock = 64;
  std::array<std::uint64_t, kBlock> buckets;
  std::array<std::size_t, kBlock> places;
  for (std::size_t first = 0; first < hashes.size(); first += kBlock) {
    const auto block = hashes.subspan(first, std::min(kBlock, hashes.size() - first));
    for (std::size_t i = 0; i < block.size(); ++i) {
      buckets[i] = base::top_bits(block[i].hi, index_bits_);
      __builtin_prefetch(&index_[buckets[i]]);
    }
    for (std::size_t i = 0; i < block.size(); ++i) {
      __builtin_prefetch(repeated_.data() + index_[buckets[i]]);
    }
    std::size_t found = 0;  // so many of the block have one of the hashes; buckets[] is reused
    for (std::size_t i = 0; i < block.size(); ++i) {
      const Hash128* const end = repeated_.data() + index_[buckets[i] + 1];
      const Hash128* const at =
          std::lower_bound(repeated_.data() + index_[buckets[i]], end, block[i]);
      if (at == end || *at != block[i]) continue;
      places[found] = static_cast<std::size_t>(at - repeated_.data());
      __builtin_prefetch(&seen_[places[found]], 1);
      buckets[found++] = i;
    }
    for (std::size_t f = 0; f < found; ++f) {
      compare(places[f], fingerprint_of(first + buckets[f]));
    }
  }
}

void CollisionCheck::compare(std::size_t place, std::uint64_t fingerprint) noexcept {
  if (fingerprint == 0) fingerprint = 1;  // 0 says that none was seen
  std::uint64_t first = 0;
  if (!seen_[place].compare_exchange_strong(first, fingerprint, std::memory_order_relaxed) &&
      first != fingerprint) {
    found_.store(true, std::memory_order_relaxed);
  }
}

ManyRepeats::ManyRepeats(const ManyRepeatsOptions& options, const hashing::SipKey& secret,
                         const base::BuildContext& context)
    : options_(options),
      secret_(secret),
      context_(context),
      stream_(stream_options(options, context)) {}

stream::StreamOptions ManyRepeats::stream_options(const ManyRepeatsOptions& options,
                                                  const base::BuildContext& context) {
  const unsigned bits = stream::partition_bits_for(options.keys, sizeof(stream::HashedValue),
                                                   context.threads, options.memory_bytes);
  return {.threads = context.threads,
          .memory_bytes =
              std::max(options.memory_bytes, stream::least_stream_bytes(context.threads, bits)),
          .temp_dir = options.temp_dir,
          .partition_bits = bits,
          .spilled = [&context](std::uint64_t bytes) { context.progress.add_spilled(bytes); }};
}

void ManyRepeats::look_at(unsigned thread, std::span<const Hash128> hashes,
                          std::span<const std::string_view> keys) {
  auto& writer = stream_.writer(thread);
  for (std::size_t i = 0; i < hashes.size(); ++i)
    writer.add({hashes[i], siphash(keys[i], secret_)});
}

/// Halves that were chosen to lie close together are dealt out by what nobody knew.
void ManyRepeats::look_at(std::span<const std::uint64_t> low_halves,
                          std::span<const std::uint64_t> fingerprints) {
  auto& writer = stream_.writer(0);
  for (std::size_t i = 0; i < low_halves.size(); ++i) {
    std::array<std::byte, sizeof(std::uint64_t)> half{};
    base::store_le(half.data(), low_halves[i]);
    writer.add({{siphash(base::as_text(half), secret_), low_halves[i]}, fingerprints[i]});
  }
}

bool ManyRepeats::found() {
  stream::Totals totals = stream_.finish();
  const std::uint64_t held = std::min(options_.memory_bytes, stream_.memory_bytes());
  stream::StreamedKeys<stream::HashedValue> keys(stream_, std::move(totals), {},
                                                 options_.memory_bytes - held);
  std::atomic<bool> found{false};
  try {
    keys.expect_spread(options_.keys, options_.alike);
    keys.keep_values();
    keys.for_each({}, context_, [&](const stream::KeySlice& slice) {
      for (std::size_t i = 1; i < slice.size(); ++i) {
        if (slice.hashes[i] == slice.hashes[i - 1] && slice.values[i] != slice.values[i - 1])
          found.store(true, std::memory_order_relaxed);
      }
    });
  } catch (const stream::UnevenHashes&) {  // the hashes are even: there are more keys than hashes
    return true;
  }
  return found.load(std::memory_order_relaxed);
}

}  // namespace crivo::input
