// SPDX-License-Identifier: Apache-2.0
#include "input/repeat_check.hpp"

#include <algorithm>
#include <string>

#include "crivo/error.hpp"
#include "input/collision_check.hpp"
#include "input/for_each_chunk.hpp"
#include "input/places.hpp"

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
  const bool has_seeds = hash_.seed().low - input_.options.seed.low + 1 < kMaxSeeds;
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

/// Calls see(thread, hashes, keys) for each chunk of the files, on all threads.
void RepeatCheck::visit_again(const SeeHashes& see) {
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
                   see(thread, hashes, keys);
                 });
}

/// Calls see(Hash128::lo, fingerprints) for each chunk of an input that was kept.
void RepeatCheck::visit_fingerprints(const SeeFingerprints& see) {
  if (kept_->for_each_fingerprint(see)) return;
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

}  // namespace crivo::input
