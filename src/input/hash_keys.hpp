// SPDX-License-Identifier: Apache-2.0
/// The pipeline's front: key files in, the set of their hashes out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/error.hpp"
#include "crivo/key.hpp"
#include "crivo/value_form.hpp"
#include "hashing/batch_hash.hpp"
#include "hashing/hash_family.hpp"
#include "input/chunk_numbers.hpp"
#include "input/duplicates.hpp"
#include "input/input_parts.hpp"
#include "input/noted_names.hpp"
#include "input/record_taker.hpp"
#include "input/row_files.hpp"
#include "input/units.hpp"
#include "stream/hash_source.hpp"
#include "stream/key_slice.hpp"
#include "stream/streamed_keys.hpp"

namespace crivo::input {

/// hashes[i] = hash(keys[i]) of at most BatchHash::kMostKeys keys; `together` has the same seed.
inline void hash_batch(std::span<const std::string_view> keys, const hashing::SeededHash& hash,
                       const hashing::BatchHash& together, Hash128* hashes) noexcept {
  if (hash.is_hash_key()) {
    together(keys, hashes);
  } else {
    hashing::for_each_by_length(keys, [&](std::size_t i) { hashes[i] = hash(keys[i]); });
  }
}

/// The functions that a caller runs around each pass over the input.
struct PassHooks {
  std::function<void()> begin{};
  std::function<void()> end{};      ///< all units were taken, and none is sorted yet
  stream::NumberValues number{};    ///< of StreamedKeys
  ChunkNumbers* numbers = nullptr;  ///< that are noted, if any
  RecordTaker* records = nullptr;   ///< that they are handed to, if there are any
  NotedNames* names = nullptr;      ///< that stand beside keys, if there are some
};

class ResumeDirectory;

enum class DuplicatePolicy {
  refuse,         ///< Error(bad_input) that names the first ones
  ignore,         ///< keep one of each
  count,          ///< keep all: the keys are a multiset, of which one that is there n times is n
  differing,      ///< keep all that differ in their values: a key is there once for each
  ignore_hashes,  ///< keep one of each hash, under the one seed: whether the keys are equal is not
                  ///< looked at
};

struct HashOptions {
  std::uint64_t seed = kDefaultSeed;  ///< the first to be tried
  DuplicatePolicy duplicates = DuplicatePolicy::refuse;
  std::filesystem::path temp_dir{};
  /// The bytes of hashes in memory, before they are spilled to a file in temp_dir; raised to what
  /// the threads need.
  std::uint64_t memory_bytes = UINT64_MAX;
  /// About how many keys there are, where that is known.
  std::optional<std::uint64_t> expected_keys{};
  /// The keys may be one of so many parts of a set, even one in the order of its hashes. 0: how
  /// they are spread is not looked at.
  std::uint64_t parts = 1;
  /// So many keys may have one first half of their hashes, as hashing::keys_alike() says.
  std::uint64_t alike = 1;
  /// The part of the input that is read, where that is of regular files; its keys' numbers count
  /// from 0.
  std::optional<InputPart> part{};
  /// Told from time to time how many keys there are at least; what it throws goes through.
  std::function<void(std::uint64_t)> collected{};
  /// Where what is read is kept, part by part, so that another process can go on; or null.
  ResumeDirectory* resume = nullptr;
  /// The delimiter of prefixes, for keys without values: what stands before each of this character
  /// in them is a key, too (crivo/suffixes.hpp), and keys are told apart by their hashes alone:
  /// `duplicates` is not looked at, nor are repeats told.
  std::optional<char> prefixes{};
  std::uint64_t passes = 1;             ///< BuildOptions::passes
  hashing::HashFamily hash = hash_key;  ///< what makes the keys' hashes: hash_key() for most files
};

/// So many seeds are tried, each one more than the last, before keys that differ and have one hash
/// are an error. (Two of 10^9 keys have one hash with probability 2^-69.)
inline constexpr unsigned kMaxSeeds = 4;

/// A key set that was read.
struct KeySet {
  const stream::HashSource& keys;
  std::uint64_t seed = 0;  ///< of the hashes
  /// The number of hashes, where some keys are there more often than once (`differing`).
  std::optional<std::uint64_t> distinct{};
  std::uint64_t collected = 0;      ///< keys read, repeats included
  std::uint64_t temp_bytes = 0;     ///< temporary disk used
  std::uint64_t free_bytes = 0;     ///< of HashOptions::memory_bytes, about, that keys leave
  std::uint64_t resumed_bytes = 0;  ///< of the input, about, that an earlier process read
  /// The sums of all keys, once each of them was leased.
  std::function<stream::KeySums()> sums{};
  std::vector<Warning> warnings{};  ///< of the input, a line each: TextSigns
};

/// Uses a key set. It may be called a second time, with another set, where keys turn out to collide
/// while it is at work: then what it made before is of no use.
using UseKeys = std::function<void(const KeySet&)>;

/// Reads and hashes the keys of `input`, and has `use` build from them. 16 bytes of memory a key
/// as far as options.memory_bytes allows, then temporary disk, and buffers of some 20 MiB. Errors
/// name the file and the line.
///
/// Where two keys that differ have one hash, all is done again with the next seed. Only if hashes
/// repeat are their keys looked at, which takes the input a second time. A pipe with more keys than
/// InputSpool::kTextKeys cannot be hashed again: then a collision is Error(bad_input).
///
/// Hashes that are spread less evenly than random ones (stream::KeySpread) are Error(bad_input):
/// what is built of them would be too large, and take more memory than it may.
void hash_keys(const KeyInput& input, const HashOptions& options, const base::BuildContext& context,
               const UseKeys& use);

/// The same, with a value for each key: its number in the whole input, from 0, repeats counted; of
/// equal keys that are ignored, the number of the first. 24 bytes a key.
void hash_numbered_keys(const KeyInput& input, const HashOptions& options,
                        const base::BuildContext& context, const UseKeys& use);

/// The same for key-and-value pairs (key TAB value lines, or key NUL value NUL), where a value is a
/// number in decimal digits as `form` has it, that takes `value_bits` (1 to 64) at most as
/// parse_value() keeps it: anything else is Error(bad_input). Of
/// equal keys that are ignored, the first has the value. 24 bytes a key; 32, if duplicates are
/// ignored.
void hash_values(const KeyInput& input, const ValueForm& form, unsigned value_bits,
                 const HashOptions& options, const base::BuildContext& context, const UseKeys& use);

/// The same for keys with the file and number of a row, as for_each_row() reads them. The value of
/// a key is the number that `files` has for the row when all are read.
void hash_rows(const KeyInput& input, RowFiles& files, const HashOptions& options,
               const base::BuildContext& context, const UseKeys& use);

/// The same for key-and-record pairs, each of which is handed to `taker` as it is read.
void hash_records(const KeyInput& input, const HashOptions& options, RecordTaker& taker,
                  const base::BuildContext& context, const UseKeys& use);

/// The same for keys, or with `form` key-and-value pairs, each of which is handed to `taker` with
/// no record, or with a TextRecord of its value. 16 bytes a key, or 32.
void hash_texts(const KeyInput& input, const ValueForm* form, const HashOptions& options,
                RecordTaker& taker, const base::BuildContext& context, const UseKeys& use);

/// Gets the hashes of a chunk's keys, in order. Called from all threads at once.
using VisitHashes = std::function<void(const Chunk& chunk, std::span<const Hash128> hashes)>;

/// Reads and hashes the keys of `input`, and hands each chunk's on without keeping any: O(1) memory
/// a thread. Errors name the file and the line.
void visit_hashes(const KeyInput& input, const hashing::SeededHash& hash,
                  const base::BuildContext& context, const VisitHashes& visit);

/// Reads the keys of `input` (with `pairs`, those of pairs) again, in order, on one thread, for a
/// message that names one. Returns false where the input is a pipe, which can be read only once.
bool replay_keys(const KeyInput& input, bool pairs, const hashing::SeededHash& hash,
                 const KeyVisitor& visit);

}  // namespace crivo::input
