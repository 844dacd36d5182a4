// SPDX-License-Identifier: Apache-2.0
/// Proofs against keys: that a file answers rightly for each, and that its keys build the same
/// bytes again.
///
///     crivo::verify_keys("urls.crv", {.paths = {"urls.txt"}});
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "crivo/build/keys.hpp"
#include "crivo/build/options.hpp"
#include "crivo/detail/export.hpp"
#include "crivo/error.hpp"
#include "crivo/progress.hpp"

namespace crivo {

struct ReproduceOptions {
  /// Choices about the input alone, which no file records: group_delimiter or strict of an exact
  /// set, sorted of a dictionary.
  Choices choices{};
  Resources resources{};
};

/// Says where a file is not what was built again.
struct Difference {
  std::string file;  ///< its path
  std::string
      section{};  ///< its name; empty for the header and the table, and what has no sections
  std::uint64_t chunk = 0;  ///< of 65,536 bytes, of the section or the file, from 0
  std::uint64_t byte = 0;   ///< of the file, from 0: the first that differs
};

struct Reproduction {
  std::string kind;
  std::string build_id;
  std::uint64_t keys = 0;
  std::vector<std::string> compared{};  ///< the paths of the files
  /// Nothing where all files are the same. Sections come before the header, which has their
  /// checksums.
  std::optional<Difference> difference{};
  /// That libraries have other versions than when a store was built, or that its updates were not
  /// compared.
  std::vector<Warning> warnings{};
};

/// Builds `path`, an index file or a store's directory, again from `keys` with the seed, the
/// choices and the notes that it records, and compares. Equal keys are taken once, as builds either
/// refuse them or leave them out. The file is only read; the new one lies in the temporary
/// directory meanwhile, without a name. A store lies there in a directory of its own, which is
/// removed. Time and memory are those of the build.
///
/// Throws Error(mismatch) for other keys or values, before anything is built of them (for another
/// universe of an exact set: afterwards);
/// Error(usage) for what no single build wrote: a changed or united filter, a manifest, a part; and
/// what the open and the build throw.
CRIVO_API Reproduction reproduce(const std::filesystem::path& path, const KeyInput& keys,
                                 const ReproduceOptions& options = {});

struct KeyCheckOptions {
  /// The input is pairs as those that the map or dictionary was built from; for no others.
  bool values = false;
  /// The delimiter of an exact set with groups, as of ExactOptions.
  std::string group_delimiter{};
  Resources resources{};
};

/// verify(), then checks that the file answers rightly for a key set that should be the file's own:
/// an MPHF is a bijection from the distinct keys to [0, n); a filter contains each; a store returns
/// each record (lines with a TAB, and NUL pairs, give key and record; a line without TAB only a
/// key, which must be there); a map gives each key its number in the input, or the value it has
/// there; an exact set answers `member` for each, and with KeyInput::universe for no other key of
/// that. Throws Error(mismatch) that names what differs. Returns the number of distinct keys; of a
/// filter, of keys given.
///
/// Keys of a filter take no memory, and those in files a bit of an MPHF, and none of a map of line
/// numbers, unless some are there twice; these, those from pipes and those with values 16 to 24
/// bytes, which go to the temporary directory where they do not fit. A store's take 16 bytes of
/// memory each; throws Error(io) if that is too much.
CRIVO_API std::uint64_t verify_keys(const std::filesystem::path& path, const KeyInput& keys,
                                    const KeyCheckOptions& options = {});

}  // namespace crivo
