/// Building index files from key files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/filter_options.hpp"
#include "crivo/hash.hpp"
#include "crivo/keys.hpp"
#include "crivo/parameter.hpp"
#include "crivo/progress.hpp"

namespace crivo {

/// What all builds have in common.
struct BuildOptions {
  /// Of the key hash; the next one is taken where two keys that differ have one hash under it, and
  /// the next, up to four in all. Open files say which they have.
  std::uint64_t seed = kDefaultSeed;
  unsigned threads = 0;            ///< 0: one per core. The bytes written do not depend on it.
  bool ignore_duplicates = false;  ///< keep one of equal keys, instead of refusing them
  bool replace = false;            ///< replace an existing output, at once and whole
  std::filesystem::path temp_dir;  ///< empty: $TMPDIR, or /tmp
  Progress* progress = nullptr;    ///< told how far the build is
};

struct MphfOptions {
  std::string algorithm = "fast";  ///< one of mphf_algorithms()
  unsigned effort = 0;  ///< 0 to the algorithm's highest: more time in the build, less space
  unsigned signature_bits = 0;  ///< 0, 8, 16 or 32: refuse all but 2^-bits of absent keys
};

struct StoreOptions {
  std::string algorithm = "fast";
  unsigned signature_bits = 16;  ///< 8, 16 or 32: absent keys are refused before a record is read
};

/// What a build did.
struct BuildSummary {
  std::string kind;
  std::string algorithm;            ///< MPHF algorithm, or filter type
  std::uint64_t keys = 0;           ///< distinct keys in the output
  std::uint64_t duplicates = 0;     ///< keys left out by ignore_duplicates
  std::uint64_t bytes = 0;          ///< of all files written
  std::optional<double> fpr;        ///< designed; filters, and MPHFs with signatures
  std::optional<double> asked_fpr;  ///< the highest that a filter was to have, where one was named
  std::optional<double> measured_fpr;  ///< of a filter, over 2^20 random hashes
  std::vector<Parameter> parameters;   ///< what the filter's type has to say of its shape
  unsigned signature_bits = 0;
  std::uint64_t seed = 0;  ///< that the file has
  unsigned threads = 0;
  double read_seconds = 0;  ///< read, hash and sort
  double build_seconds = 0;
  double write_seconds = 0;  ///< make the output durable
  double total_seconds = 0;
  std::uint64_t temp_bytes = 0;  ///< temporary disk used
  std::string format_version;    ///< "major.minor" of the file
  std::string digest;            ///< hex; equal keys and parameters give equal digests
};

/// Builds a file or, for a store, a directory. A failed or killed build leaves no partial output,
/// and an old output as it was. Throws Error: usage (bad options, existing output), bad_input
/// (names file and line), io. Memory: about 20 bytes a key at the peak for an MPHF, plus the output
/// for a filter.
BuildSummary build_mphf(const KeyInput& input, const std::filesystem::path& output,
                        const MphfOptions& mphf = {}, const BuildOptions& options = {});
BuildSummary build_filter(const KeyInput& input, const std::filesystem::path& output,
                          const FilterOptions& filter = {}, const BuildOptions& options = {});
/// `input` holds pairs: key TAB record lines, or key NUL record NUL.
BuildSummary build_store(const KeyInput& input, const std::filesystem::path& output,
                         const StoreOptions& store = {}, const BuildOptions& options = {});

/// What a build would take, found by reading the input once without hashing it.
struct BuildEstimate {
  std::uint64_t keys = 0;  ///< lines, repeats included
  std::uint64_t memory_bytes = 0;
  std::uint64_t temp_bytes = 0;
  std::uint64_t output_bytes = 0;
};
BuildEstimate estimate_mphf(const KeyInput& input, const MphfOptions& mphf = {},
                            const BuildOptions& options = {});
BuildEstimate estimate_filter(const KeyInput& input, const FilterOptions& filter = {},
                              const BuildOptions& options = {});
BuildEstimate estimate_store(const KeyInput& input, const StoreOptions& store = {},
                             const BuildOptions& options = {});

/// The highest MphfOptions::effort of an algorithm. Throws Error(usage) if there is no such one.
unsigned mphf_max_effort(std::string_view algorithm);

/// The names that MphfOptions::algorithm may have; the first is the default.
std::span<const std::string_view> mphf_algorithms() noexcept;

}  // namespace crivo
