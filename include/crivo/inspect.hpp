// SPDX-License-Identifier: Apache-2.0
/// What a file holds, and whether it is sound.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "crivo/export.hpp"
#include "crivo/keys.hpp"
#include "crivo/parameter.hpp"
#include "crivo/resources.hpp"
#include "crivo/value_form.hpp"

namespace crivo {

struct SectionInfo {
  std::uint32_t type = 0;
  std::string name;
  std::uint64_t tag = 0;  ///< tells sections of one type apart
  std::uint64_t alignment = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// One of the filters that answer as one.
struct LayerInfo {
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;  ///< of the file, or of a joined delta the section
  double fpr = 0;           ///< as designed
};

struct FileInfo {
  /// "mphf", "filter", "map", "store", "dictionary" or "exact"; "delta" or "chain", of exact sets
  /// and filters; or "part", of a sharded build.
  std::string kind;
  std::string algorithm;  ///< MPHF or map algorithm, or filter type; empty of a part
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;          ///< of all files
  std::optional<double> fpr;        ///< as designed; filters, and MPHFs and maps with signatures
  std::optional<double> asked_fpr;  ///< the highest that a filter was to have, unless built by bits
  std::vector<Parameter> parameters;  ///< what the structure has to say of its shape
  unsigned signature_bits = 0;
  unsigned value_bits = 0;            ///< of a map
  std::string backend;                ///< of a store: one of store_backends()
  std::string codec;                  ///< likewise, of store_codecs()
  std::uint64_t changed_records = 0;  ///< of a store, since it was built: given another record
  std::uint64_t removed_records = 0;  ///< likewise: `keys` counts them still
  bool has_values = false;            ///< a number belongs to each key: of maps, and dictionaries
  ValueForm value_form;               ///< of them
  /// Of a map's values, in bits a key, where they are compressed.
  std::optional<double> value_entropy;
  std::string hash;  ///< of the keys: xxh3, siphash, xxh64, universal, zobrist or jenkins
  std::uint64_t seed = 0;
  std::string format_version;  ///< "1.0"
  std::string digest;          ///< hex
  std::string base;            ///< hex: of a delta or chain, the digest of what it changes
  std::string state_before;    ///< hex: of a delta, what it must follow
  std::string state;           ///< hex: of a delta or chain, what the next delta must follow
  std::string build_id;        ///< hex: of the keys and choices; zero of a changed or united filter
  std::vector<LayerInfo> layers;  ///< of a filter's delta or chain: the base first
  std::vector<SectionInfo> sections;
  std::map<std::string, std::string, std::less<>> metadata;
};

/// Opens `path` (an index file, or a store's directory) as a lookup would, and says what is in it,
/// without reading its bulk. Throws Error as Mphf::open() does.
CRIVO_API FileInfo inspect(const std::filesystem::path& path);

/// Reads every byte of `path` and checks it: checksums, padding, structure, a store's records.
/// Throws Error(corrupt) that says what is damaged.
CRIVO_API void verify(const std::filesystem::path& path, const Resources& resources = {});

struct KeyCheckOptions {
  /// The input is pairs as those that the map or dictionary was built from; for no others.
  bool values = false;
  /// Of an exact set with groups: as of ExactOptions.
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
