// SPDX-License-Identifier: Apache-2.0
/// Building index files from keys in files, in memory or from a function.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/export.hpp"
#include "crivo/filter_options.hpp"
#include "crivo/hash.hpp"
#include "crivo/keys.hpp"
#include "crivo/output.hpp"
#include "crivo/parameter.hpp"
#include "crivo/resources.hpp"
#include "crivo/value_form.hpp"
#include "crivo/warning.hpp"

namespace crivo {

/// A seed that nobody can foresee, drawn from the operating system: with BuildOptions::keyed_hash,
/// for keys chosen by strangers. Throws Error(io) if the system has no random numbers.
CRIVO_API std::uint64_t random_seed();

/// What all builds have in common.
struct BuildOptions {
  /// Of the key hash; the next one is taken where two keys that differ have one hash under it, and
  /// the next, up to four in all. Open files say which they have.
  std::uint64_t seed = kDefaultSeed;
  /// For keys that strangers chose, with a seed that they do not know, as of random_seed(). Keys
  /// are hashed by SipHash-2-4 of 128 bits ("siphash") in the place of "xxh3", at some 4 times the
  /// cost: any two collide with probability 2^-128, however they were chosen. Under XXH3 and a
  /// known seed anyone can choose keys by their hashes: keys that a filter takes for others; keys
  /// whose build is Error(bad_input), since they lie closer together than by chance, or collide
  /// under all its seeds (it never loses a key). Keys of more than 240 bytes can do it under
  /// unknown seeds. tools/doc/promises.md says what holds for which keys. Where another key hash is
  /// asked for, and by split-block-bloom filters, it is refused.
  bool keyed_hash = false;
  bool ignore_duplicates = false;  ///< keep one of equal keys, instead of refusing them
  /// Count every one of equal keys, as if each were added anew: only for filters that count
  /// (counting-bloom), whose keys are then a multiset and which have room for all of it.
  bool count_duplicates = false;
  /// No keys at all are as good as any, and give no warning: an input may be empty because the
  /// command before it in a pipe failed.
  bool allow_empty_set = false;
  bool replace = false;  ///< replace an existing output, at once and whole
  Resources resources{};
  /// A directory, made if it is not there, in which the hashes of what was read are kept, and a
  /// store's records, so that a build that was killed, or came to a full disk, goes on from there
  /// if it is begun again with the same inputs and choices (threads and memory may be others).
  /// Removed on success. Inputs are regular files, and have not changed: otherwise Error(usage)
  /// says what is in the way; what was kept and is damaged is Error(corrupt). Empty: none.
  std::filesystem::path resume_dir{};
};

struct MphfOptions {
  std::string algorithm = "fast";  ///< one of mphf_algorithms()
  unsigned effort = 0;  ///< 0 to the algorithm's highest: more time in the build, less space
  unsigned signature_bits = 0;  ///< 0, 8, 16 or 32: refuse all but 2^-bits of absent keys
  /// The key hash, one of key_hashes(); only the seeds' algorithms (mwhc2, mwhc3, fch, bmz, bdz)
  /// take another than xxh3. universal and zobrist refuse keys of more than 4096 bytes.
  std::string hash = "xxh3";
  /// Theirs too: whether their functions' values are made numbers below m without favouring any,
  /// and not as the dissertation does it.
  bool unbiased = false;
};

struct MapOptions {
  std::string algorithm = "ribbon";  ///< one of map_algorithms()
  /// The input is key-and-value pairs. Otherwise it is keys, and a key's value is its number in the
  /// input, from 0.
  bool values = false;
  ValueForm form{};  ///< of the values of pairs
  /// Of a value, 1 to 64; 0: as many as the largest needs. A signed one v takes those of 2 v, or of
  /// -2 v - 1 if it is negative.
  unsigned value_bits = 0;
  bool compress = false;        ///< skewed values take about their entropy; `ribbon` only
  unsigned arity = 4;           ///< 3 or 4: slots that make up a value; `fuse` only
  unsigned signature_bits = 0;  ///< 0, 8, 16 or 32: refuse all but 2^-bits of absent keys
};

/// Which records of a repeated key a store keeps where BuildOptions::ignore_duplicates is set.
enum class RepeatedRecords {
  first,  ///< in the order of the input: number of the file, then place
  last,
  all,  ///< joined in that order, with a LF between each two
};

struct StoreOptions {
  std::string algorithm = "fast";
  /// Where the records are, one of store_backends(). "lmdb": in an LMDB environment, and can be
  /// changed. "flat": in a sealed file, for the quickest lookups.
  std::string backend = "lmdb";
  /// 8, 16 or 32: absent keys are refused before a record is read. A flat store has fingerprints of
  /// 16 bits in its place.
  unsigned signature_bits = 16;
  /// How records are compressed: one of store_codecs(), or "auto". "none": not at all; "tokens12",
  /// "tokens16": each record by itself as tokens of 12 or 16 bits, of a dictionary trained on the
  /// first of them in hash order; "zstd": blocks of records, with a dictionary. A record or block
  /// that does not shrink is kept as it is. "auto" is tokens12, or tokens16 where they make the
  /// whole at least 1/32 shorter than those, or none where tokens save less than 1/8.
  std::string codec = "auto";
  RepeatedRecords repeated = RepeatedRecords::first;
  std::uint32_t block_bytes = 2048;  ///< zstd's: 512 to 16384 bytes of records
};

/// What a build did.
struct BuildSummary {
  std::string kind;
  std::string algorithm;            ///< MPHF or map algorithm, or filter type
  std::uint64_t keys = 0;           ///< distinct keys in the output
  std::uint64_t duplicates = 0;     ///< keys left out by ignore_duplicates
  std::uint64_t bytes = 0;          ///< of all files written
  std::optional<double> fpr;        ///< designed; filters, and MPHFs and maps with signatures
  std::optional<double> asked_fpr;  ///< the highest that a filter was to have, where one was named
  std::optional<double> measured_fpr;  ///< of a filter, over 2^11 to 2^20 random hashes
  std::vector<Parameter> parameters;   ///< what the structure has to say of its shape
  unsigned signature_bits = 0;
  unsigned value_bits = 0;  ///< of a map
  std::string backend;      ///< of a store: one of store_backends()
  std::string codec;        ///< likewise, of store_codecs()
  /// Of a map's values, in bits a key, where they are compressed.
  std::optional<double> value_entropy;
  std::uint64_t seed = 0;  ///< that the file has
  unsigned threads = 0;
  double read_seconds = 0;  ///< read, hash and sort
  double build_seconds = 0;
  double write_seconds = 0;  ///< make the output durable
  double total_seconds = 0;
  std::uint64_t temp_bytes = 0;     ///< temporary disk used
  std::uint64_t resumed_bytes = 0;  ///< of the input, about, that BuildOptions::resume_dir spared
  std::string format_version;       ///< "major.minor" of the file
  std::string digest;               ///< hex; equal keys and parameters give equal digests
  /// What makes the build no failure: no keys, signs that the input's lines are not meant to be cut
  /// as they were (a byte order mark, a CR at the end of every line), and what went wrong after the
  /// output got its name.
  std::vector<Warning> warnings;
};

/// Builds a file or, for a store, a directory. A failed or killed build leaves no partial output,
/// and an old output as it was; what a killed one left under a temporary name, the next build of
/// the same output removes. A replaced output keeps its owner and permissions, and a symbolic link
/// to it stays one. Throws Error: usage (bad options; an output that exists, is no regular file, or
/// is one of the inputs), bad_input (names file and line), io: all before anything is replaced, and
/// those about the output's path before any work; cancelled. Memory at the peak: some 17 bytes a
/// key (25 of a map), as far as Resources::memory allows; more are kept in temp_dir. What cannot do
/// with less than the whole set (mwhc2, mwhc3, fch, bmz, bdz and hash-compaction: 32 to 75 bytes a
/// key) or with less than the minimum (8 MiB and a few bytes a hundred keys) is Error(io) where the
/// budget is smaller: before the input is read where that is plain files, else as soon as so many
/// keys have come.
CRIVO_API BuildSummary build_mphf(const KeyInput& input, const Output& output,
                                  const MphfOptions& mphf = {}, const BuildOptions& options = {});
CRIVO_API BuildSummary build_filter(const KeyInput& input, const Output& output,
                                    const FilterOptions& filter = {},
                                    const BuildOptions& options = {});
/// With MapOptions::values, `input` holds pairs, key TAB value lines or key NUL value NUL, where a
/// value is a number of MapOptions::form in decimal digits, as 12, -12 or -12.50.
CRIVO_API BuildSummary build_map(const KeyInput& input, const Output& output,
                                 const MapOptions& map = {}, const BuildOptions& options = {});
/// `input` holds pairs: key TAB record lines, or key NUL record NUL.
CRIVO_API BuildSummary build_store(const KeyInput& input, const Output& output,
                                   const StoreOptions& store = {},
                                   const BuildOptions& options = {});

/// Throws what the build of a `kind` ("mphf", "filter", "map" or "store") would throw for the path
/// of its output before any work: Error(usage, io).
CRIVO_API void check_output(std::string_view kind, const KeyInput& input, const Output& output,
                            const BuildOptions& options = {});

/// What a build would take, found by reading the input once. Some of its keys are then built from,
/// for some 0.2 s, to an output that is thrown away; of a store, a codec is trained on some of the
/// records. Memory, disk and size are within some 15 % of what the build takes, time within 30 %.
struct BuildEstimate {
  std::uint64_t keys = 0;                  ///< lines, repeats included
  std::uint64_t memory_bytes = 0;          ///< at the peak
  std::uint64_t minimum_memory_bytes = 0;  ///< the least Resources::memory
  std::uint64_t temp_bytes = 0;
  std::uint64_t output_bytes = 0;
  std::uint64_t partitions = 0;  ///< that the keys are sorted and built in, few at a time
  double seconds = 0;            ///< on a machine that is idle but for the build
  std::string warning;           ///< why the build would be refused; empty if it would not
};
CRIVO_API BuildEstimate estimate_mphf(const KeyInput& input, const MphfOptions& mphf = {},
                                      const BuildOptions& options = {});
CRIVO_API BuildEstimate estimate_filter(const KeyInput& input, const FilterOptions& filter = {},
                                        const BuildOptions& options = {});
CRIVO_API BuildEstimate estimate_map(const KeyInput& input, const MapOptions& map = {},
                                     const BuildOptions& options = {});
CRIVO_API BuildEstimate estimate_store(const KeyInput& input, const StoreOptions& store = {},
                                       const BuildOptions& options = {});

/// The highest MphfOptions::effort of an algorithm. Throws Error(usage) if there is no such one.
CRIVO_API unsigned mphf_max_effort(std::string_view algorithm);

/// The names that MphfOptions::algorithm may have; the first is the default.
CRIVO_API std::span<const std::string_view> mphf_algorithms() noexcept;
/// The names that StoreOptions::backend may have; the first is the default.
CRIVO_API std::span<const std::string_view> store_backends() noexcept;
/// The names of the codecs that StoreOptions::codec may have.
CRIVO_API std::span<const std::string_view> store_codecs() noexcept;
/// Those that MphfOptions::hash may have; likewise.
CRIVO_API std::span<const std::string_view> key_hashes() noexcept;
/// The names that MapOptions::algorithm may have; the first is the default.
CRIVO_API std::span<const std::string_view> map_algorithms() noexcept;

}  // namespace crivo
