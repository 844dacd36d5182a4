// SPDX-License-Identifier: Apache-2.0
/// Inspection: what a file says of itself, and whether it is whole.
///
///     const crivo::FileInfo info = crivo::inspect("urls.crv");
///     std::cout << info.kind << " of " << info.keys << " keys\n";
///     crivo::verify("urls.crv");  // throws what is wrong
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "crivo/detail/export.hpp"
#include "crivo/progress.hpp"
#include "crivo/value_form.hpp"

namespace crivo {

/// Holds a named figure of one structure, such as ("hashes", 6): a field of the JSON object
/// `parameters` of `build` and `info`, and a row of the text.
struct Parameter {
  std::string name;  ///< lower case, words joined by _
  std::variant<std::uint64_t, double, bool> value;

  friend bool operator==(const Parameter&, const Parameter&) = default;
};

/// Says what a kind has to say of its files beside what every file has: a field of the JSON object
/// of `info` and `build`, a line for people, or both.
struct InfoRow {
  std::string name;  ///< of the field: lower case, words joined by _; empty: there is none
  std::variant<std::uint64_t, double, bool, std::string> value;  ///< of the field
  std::string label{};    ///< of the line; empty: there is none
  std::string text{};     ///< of the line
  bool in_build = false;  ///< the line also stands in what a build says to people
};

/// Says where a section lies in its file.
struct SectionInfo {
  std::uint32_t type = 0;
  std::string name;
  std::uint64_t tag = 0;  ///< tells sections of one type apart
  std::uint64_t alignment = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// Describes one of the filters that answer as one.
struct LayerInfo {
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;  ///< of the file, or of a joined delta the section
  double fpr = 0;           ///< as designed
};

/// Says what a file holds.
struct FileInfo {
  /// "mphf", "filter", "map", "store", "dictionary" or "exact"; "delta" or "chain", of exact sets
  /// and filters; or "part", of a sharded build.
  std::string kind;
  std::string algorithm;  ///< MPHF or map algorithm, or filter type; empty of a part
  std::string algorithm_name = "algorithm";  ///< or "type", of a filter; empty of a part
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;    ///< of all files
  std::optional<double> fpr;  ///< as designed; filters, and MPHFs and maps with signatures
  std::string fpr_keys = "absent keys";  ///< of which it is the share; empty: none is ever found
  std::optional<double> asked_fpr;  ///< the highest that a filter was to have, unless built by bits
  std::vector<Parameter> parameters;  ///< what the structure has to say of its shape
  unsigned signature_bits = 0;
  unsigned value_bits = 0;  ///< of a map
  bool has_values = false;  ///< a number belongs to each key: of maps, and dictionaries
  ValueForm value_form;     ///< of them
  /// The rows that the kind adds, in order. A map has `entropy` (bits a key, where its values are
  /// compressed); a store has `backend` (one of store_backends()), `codec` (one of store_codecs()),
  /// and since it was built `changed_records` and `removed_records`, which `keys` counts still.
  std::vector<InfoRow> rows;
  std::string hash;  ///< of the keys: xxh3, siphash, aes, xxh64, universal, zobrist or jenkins
  std::uint64_t seed = 0;
  std::uint64_t seed_high = 0;  ///< bits 64 to 127 of it, where the hash is aes
  std::string format_version;   ///< "0.1"
  std::string digest;           ///< hex
  std::string base;             ///< hex: of a delta or chain, the digest of what it changes
  std::string state_before;     ///< hex: of a delta, what it must follow
  std::string state;            ///< hex: of a delta or chain, what the next delta must follow
  std::string build_id;  ///< hex: of the keys and choices; zero of a changed or united filter
  std::vector<LayerInfo> layers;  ///< of a filter's delta or chain: the base first
  std::vector<SectionInfo> sections;
  std::map<std::string, std::string, std::less<>> metadata;

  /// Finds the value of a row. Returns null if there is none of the name and type.
  template <typename T>
  const T* find(std::string_view name) const noexcept {
    for (const InfoRow& row : rows)
      if (row.name == name) return std::get_if<T>(&row.value);
    return nullptr;
  }
};

/// Opens `path` (an index file, or a store's directory) as a lookup would, and says what is in it,
/// without reading its bulk. Throws Error as Mphf::open() does.
CRIVO_API FileInfo inspect(const std::filesystem::path& path);

/// Reads every byte of `path` and checks it: checksums, padding, structure, a store's records.
/// Throws Error(corrupt) that says what is damaged.
CRIVO_API void verify(const std::filesystem::path& path, const Resources& resources = {});

}  // namespace crivo
