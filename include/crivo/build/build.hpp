// SPDX-License-Identifier: Apache-2.0
/// Builds: from keys to a file, which appears whole or not at all.
///
///     const crivo::BuildSummary made = crivo::build_mphf({.paths = {"urls.txt"}}, "urls.crv");
///     std::cout << made.keys << " keys in " << made.bytes << " bytes\n";
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crivo/build/keys.hpp"
#include "crivo/build/options.hpp"
#include "crivo/detail/export.hpp"
#include "crivo/error.hpp"
#include "crivo/inspect.hpp"
#include "crivo/key.hpp"
#include "crivo/progress.hpp"

namespace crivo {

/// Names where a build's bytes go: a path, or a function that takes them.
class CRIVO_API Output {
 public:
  using Write = std::function<void(std::span<const std::byte> bytes)>;

  // NOLINTBEGIN(google-explicit-constructor): a path is what most outputs are
  Output(std::filesystem::path path) : path_(std::move(path)) {}
  Output(const std::string& path) : path_(path) {}
  Output(const char* path) : path_(path) {}
  // NOLINTEND(google-explicit-constructor)

  /// `write` is called with the whole file, piece by piece from front to back, when it is finished:
  /// till then it is in the temporary directory. A build that fails calls it never; what it throws
  /// goes through the build.
  static Output to(Write write) { return Output(std::move(write)); }
  /// Appends the file to `bytes`, which must outlive the build.
  static Output to(std::vector<std::byte>& bytes) {
    return to([&bytes](std::span<const std::byte> more) {
      bytes.insert(bytes.end(), more.begin(), more.end());
    });
  }

  /// Returns the path, empty where a function takes the bytes.
  const std::filesystem::path& path() const noexcept { return path_; }
  /// Returns the function, null for a path.
  const Write& write() const noexcept { return write_; }
  /// Returns what messages call it.
  std::string name() const { return write_ ? "(output)" : path_.string(); }

 private:
  explicit Output(Write write) : write_(std::move(write)) {}

  std::filesystem::path path_;
  Write write_;
};

/// Draws a seed that nobody can foresee from the operating system: with BuildOptions::keyed_hash,
/// for keys chosen by strangers. Throws Error(io) if the system has no random numbers.
CRIVO_API std::uint64_t random_seed();

/// Says what a build is to come to: the keys and the build id that FileInfo has of such a file.
struct ExpectedBuild {
  std::uint64_t keys = 0;
  std::string build_id{};  ///< in hexadecimal
};

/// Holds the commands by which the tasks of a build in shards (crivo/build/shards.hpp) exchange
/// files where they share no directory, as with an object store. Each is run by `sh -c`, with the
/// name of a file in its environment as CRIVO_NAME. A status other than 0 fails the call; to try
/// again is the command's business.
struct ExchangeCommands {
  std::string put{};  ///< keeps what is on its standard input under the name, or in its place
  std::string get{};  ///< writes that to its standard output
};

/// Holds what all builds have in common.
struct BuildOptions {
  /// The seed of the key hash; the next one is taken where two keys that differ have one hash under
  /// it, and the next, up to four in all. Open files say which they have.
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
  /// No keys at all are as good as any, and give no warning: an input may be empty because the
  /// command before it in a pipe failed.
  bool allow_empty_set = false;
  bool replace = false;  ///< replace an existing output, at once and whole
  /// Names and values for people and programs, in UTF-8, which the file keeps as its metadata
  /// (FileInfo::metadata). They change its digest, but not its build id. At most 983,040 bytes with
  /// 8 for each; names are not empty and do not begin with "crivo.". Of shards the merge takes
  /// them.
  std::map<std::string, std::string, std::less<>> notes{};
  Resources resources{};
  /// A directory, made if it is not there, in which the hashes of what was read are kept, and a
  /// store's records, so that a build that was killed, or came to a full disk, goes on from there
  /// if it is begun again with the same inputs and choices (threads and memory may be others).
  /// Removed on success. Inputs are regular files, and have not changed: otherwise Error(usage)
  /// says what is in the way; what was kept and is damaged is Error(corrupt). Empty: none.
  std::filesystem::path resume_dir{};
  /// The input, which can be read again (regular files, KeyInput::command, a KeySource of known
  /// size), is read so many times, 1 to 4096, and each time the hashes of one part of the keys are
  /// kept: temporary files then take one part in so many. For MPHFs, filters and maps; equal keys
  /// that are ignored cost as many readings again, and for maps are Error(usage), as are other
  /// kinds. Readings of which two give other keys are Error(bad_input).
  std::uint64_t passes = 1;
  /// Where set, other keys, values or choices are Error(mismatch), and there is no output. Unless
  /// only the universe of an exact set is another, that is told before anything is built.
  std::optional<ExpectedBuild> expected{};
  /// The commands of builds in shards.
  ExchangeCommands exchange{};
};

/// Says what a codec would give that a store's records might have got.
struct CodecCandidate {
  std::string codec;              ///< one of store_codecs()
  std::uint32_t block_bytes = 0;  ///< of zstd
  double record_bytes = 0;        ///< a record with its key, as the sample tells
  double hit_nanoseconds = 0;     ///< of a record in memory, by the table of formats/store.md
};

/// Says what a build did: all that inspect() says of its output but, of a store, its sections and
/// metadata, and what the build took.
struct BuildSummary : FileInfo {
  std::uint64_t duplicates = 0;            ///< keys left out by ignore_duplicates
  std::optional<double> measured_fpr;      ///< of a filter, over 2^11 to 2^20 random hashes
  std::vector<CodecCandidate> candidates;  ///< of which the codec of a store was chosen
  unsigned threads = 0;
  double read_seconds = 0;  ///< read, hash and sort
  double build_seconds = 0;
  double write_seconds = 0;  ///< make the output durable
  double total_seconds = 0;
  std::uint64_t temp_bytes = 0;     ///< temporary disk used
  std::uint64_t resumed_bytes = 0;  ///< of the input, about, that BuildOptions::resume_dir spared
  /// Names what makes the build no failure: no keys, signs that the input's lines are not meant to
  /// be cut as they were (a byte order mark, a CR at the end of every line), and what went wrong
  /// after the output got its name.
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
/// `input` holds keys with where they are: lines key TAB file TAB row, or the columns or members of
/// KeyFormat::row_column and its like. Rows count from 0 in each file.
CRIVO_API BuildSummary build_rows(const KeyInput& input, const Output& output,
                                  const RowsOptions& rows = {}, const BuildOptions& options = {});
/// `input` holds pairs: group TAB key lines, or the columns of KeyFormat::value_column and
/// key_column. Of equal keys of a group one is kept. A group of more than some 10^4 keys is in
/// memory, 40 bytes a key, while it is built.
CRIVO_API BuildSummary build_filter_set(const KeyInput& input, const Output& output,
                                        const FilterSetOptions& set = {},
                                        const BuildOptions& options = {});
/// `input` holds pairs: key TAB record lines, or key NUL record NUL.
CRIVO_API BuildSummary build_store(const KeyInput& input, const Output& output,
                                   const StoreOptions& store = {},
                                   const BuildOptions& options = {});
/// The keys are sorted within Resources::memory; what does not fit goes to temp_dir, about twice
/// the bytes of all keys, and 18 bytes more a key with values. With DictionaryOptions::sorted the
/// input is read once, as it comes. A build cannot be resumed (BuildOptions::resume_dir).
CRIVO_API BuildSummary build_dictionary(const KeyInput& input, const Output& output,
                                        const DictionaryOptions& dictionary = {},
                                        const BuildOptions& options = {});
/// Builds the exact set of `members` in `universe`, whose keys may be among these or not, and may
/// come again. The universe is read twice; of what can be read only once 16 bytes a key (24 with
/// groups) are kept. Members that it lacks are a warning, or Error(bad_input) if
/// ExactOptions::strict.
CRIVO_API BuildSummary build_exact(const KeyInput& members, const KeyInput& universe,
                                   const Output& output, const ExactOptions& exact = {},
                                   const BuildOptions& options = {});
/// Does the same with the universe in KeyInput::universe.
CRIVO_API BuildSummary build_exact(const KeyInput& members, const Output& output,
                                   const ExactOptions& exact = {},
                                   const BuildOptions& options = {});

/// Says which filter build_filter_hashes() makes of hashes.
struct HashFilterOptions {
  std::string_view type = "ribbon";  ///< one of hash_filter_types()
  double fpr = 1.0 / 256;            ///< the highest rate to allow, as FilterOptions::fpr
};

/// Returns the bytes that build_filter_hashes() needs room for: what it writes of so many distinct
/// hashes, or of ribbon and fuse up to a quarter and 256 bytes more. O(1); allocates nothing.
/// Throws Error(usage).
CRIVO_API std::size_t filter_hashes_bytes(std::uint64_t count, const HashFilterOptions& filter);
/// Writes the filter of hashes into `room`, for HashFilter, and returns the number of bytes. Hashes
/// are of the program's own making, 64 bits as good as random, in any order and repeated at will.
/// One thread, no files. split-block-bloom and bloom allocate nothing, and are sized for all
/// hashes, repeats included; ribbon and fuse sort, leave repeats out, and take some 80 bytes a hash
/// meanwhile. The same hashes give the same bytes. Throws Error: usage (another type; a rate that
/// it cannot meet; too little room), bad_input (ribbon, fuse: hashes that are too unlike random
/// ones).
CRIVO_API std::size_t build_filter_hashes(std::span<const std::uint64_t> hashes,
                                          std::span<std::byte> room,
                                          const HashFilterOptions& filter = {});
/// Returns the same bytes in memory of their own.
CRIVO_API std::vector<std::byte> build_filter_hashes(std::span<const std::uint64_t> hashes,
                                                     const HashFilterOptions& filter = {});

/// Throws what the build of a `kind` (one of kinds()) would throw for the path of its output before
/// any work: Error(usage, io).
CRIVO_API void check_output(std::string_view kind, const KeyInput& input, const Output& output,
                            const BuildOptions& options = {});

/// Tells what a build would take, by reading the input once. Some of its keys are then built from,
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
CRIVO_API BuildEstimate estimate_rows(const KeyInput& input, const RowsOptions& rows = {},
                                      const BuildOptions& options = {});
CRIVO_API BuildEstimate estimate_filter_set(const KeyInput& input, const FilterSetOptions& set = {},
                                            const BuildOptions& options = {});
/// `members` with KeyInput::universe. All of it is read once.
CRIVO_API BuildEstimate estimate_exact(const KeyInput& members, const ExactOptions& exact = {},
                                       const BuildOptions& options = {});
CRIVO_API BuildEstimate estimate_store(const KeyInput& input, const StoreOptions& store = {},
                                       const BuildOptions& options = {});
CRIVO_API BuildEstimate estimate_dictionary(const KeyInput& input,
                                            const DictionaryOptions& dictionary = {},
                                            const BuildOptions& options = {});

}  // namespace crivo
