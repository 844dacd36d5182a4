// SPDX-License-Identifier: Apache-2.0
/// What a file is for.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace crivo::file {

enum class Kind : std::uint32_t {
  mphf = 1,
  filter = 2,
  map = 3,
  store = 4,  ///< the index of one
  // Of a sharded build (formats/parts.md): verified and described, but no keys are looked up in it.
  part = 5,      ///< what one shard adds to the file of all
  keys = 6,      ///< hashes of keys, dealt out
  totals = 7,    ///< what is known of all keys of a directory
  records = 8,   ///< those of a store whose index is another file
  manifest = 9,  ///< names the parts of an index, which it stands for
};

/// What is known of the files of a kind.
struct KindRow {
  Kind kind;
  std::string_view name;     ///< that users see
  std::string_view noun;     ///< of messages, with its article
  bool is_step = false;      ///< of a sharded build, and no index
  bool has_parts = false;    ///< a manifest may stand for one
  bool has_values = false;   ///< the header has their type
  bool takes_xxh64 = false;  ///< of key hashes
  bool takes_seeds = false;  ///< those of the dissertation
};

inline constexpr std::array kKinds{
    KindRow{.kind = Kind::mphf,
            .name = "mphf",
            .noun = "an MPHF",
            .has_parts = true,
            .takes_seeds = true},
    KindRow{.kind = Kind::filter,
            .name = "filter",
            .noun = "a filter",
            .has_parts = true,
            .takes_xxh64 = true},
    KindRow{
        .kind = Kind::map, .name = "map", .noun = "a map", .has_parts = true, .has_values = true},
    KindRow{.kind = Kind::store, .name = "store", .noun = "a store", .has_parts = true},
    KindRow{.kind = Kind::part,
            .name = "part",
            .noun = "a part",
            .is_step = true,
            .takes_xxh64 = true,
            .takes_seeds = true},
    KindRow{.kind = Kind::keys,
            .name = "keys",
            .noun = "a file of keys",
            .is_step = true,
            .takes_xxh64 = true},
    KindRow{.kind = Kind::totals,
            .name = "totals",
            .noun = "a file of totals",
            .is_step = true,
            .takes_xxh64 = true},
    KindRow{.kind = Kind::records, .name = "records", .noun = "a file of records"},
    KindRow{.kind = Kind::manifest,
            .name = "manifest",
            .noun = "a manifest",
            .takes_xxh64 = true,
            .takes_seeds = true},
};

/// Null for a number that is not a kind.
constexpr const KindRow* find_kind(Kind kind) noexcept {
  for (const KindRow& row : kKinds) {
    if (row.kind == kind) return &row;
  }
  return nullptr;
}

/// Whether files of the kind are steps of a sharded build, and no index.
constexpr bool is_step(Kind kind) noexcept {
  const KindRow* const row = find_kind(kind);
  return row != nullptr && row->is_step;
}

/// The name that users see; empty for a number that is not a kind.
constexpr std::string_view kind_name(Kind kind) noexcept {
  const KindRow* const row = find_kind(kind);
  return row != nullptr ? row->name : std::string_view();
}

/// The name of a kind that a later version has; empty for another number.
constexpr std::string_view kind_set_aside(std::uint32_t number) noexcept {
  switch (number) {
    case 10:
      return "exact set";
    case 11:
      return "delta";
    case 12:
      return "chain";
    case 13:
      return "dictionary";
    case 14:
      return "filter set";
    default:
      return {};
  }
}

}  // namespace crivo::file
