// SPDX-License-Identifier: Apache-2.0
/// What a user may ask of a record store.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "crivo/choice.hpp"
#include "crivo/export.hpp"
#include "crivo/mphf_options.hpp"

namespace crivo {

/// The names that StoreOptions::backend may have; the first is the default.
CRIVO_API std::span<const std::string_view> store_backends() noexcept;
/// The names that StoreOptions::codec may have; the first is the default.
CRIVO_API std::span<const std::string_view> store_codecs() noexcept;
/// The names that StoreOptions::goal may have.
CRIVO_API std::span<const std::string_view> store_goals() noexcept;

/// Which records of a repeated key a store keeps where BuildOptions::ignore_duplicates is set.
enum class RepeatedRecords {
  first,  ///< in the order of the input: number of the file, then place
  last,
  all,  ///< joined in that order, with a LF between each two
};

/// Their names, in that order: "first", "last" and "all".
CRIVO_API std::span<const std::string_view> repeated_records() noexcept;

struct StoreOptions {
  std::string algorithm = "fast";
  /// Where the records are, one of store_backends(). "lmdb": in an LMDB environment, and can be
  /// changed. "flat": in a sealed file, for the quickest lookups.
  std::string backend = "lmdb";
  /// 8, 16 or 32: absent keys are refused before a record is read. A flat store has fingerprints of
  /// 16 bits in its place.
  unsigned signature_bits = 16;
  /// How records are compressed: one of store_codecs(). "none": not at all; "tokens12",
  /// "tokens16": each record by itself as tokens of 12 or 16 bits, of a dictionary trained on the
  /// first of them in hash order; "zstd": blocks of records, with a dictionary. A record or block
  /// that does not shrink is kept as it is. "auto" is the one of all these that comes nearest to
  /// `goal` on a sample of the records.
  std::string codec = "auto";
  /// What "auto" looks for, one of store_goals(): "size", the least bytes; "speed", the least cost
  /// of a hit; "balanced", the least product of both. Costs are those of a fixed table
  /// (formats/store.md), so that the same records give the same codec anywhere.
  std::string goal = "balanced";
  RepeatedRecords repeated = RepeatedRecords::first;
  /// A dictionary of the keys takes the place of the MPHF, so that records are in the order of
  /// their keys, and can be asked for by prefixes and bounds. Of a flat store, whose `algorithm`
  /// and `signature_bits` then say nothing.
  bool ordered = false;
  /// zstd's, where it is asked for: 512 to 16384 bytes of records.
  std::uint32_t block_bytes = 2048;
  bool no_tree = false;  ///< leave out the hash tree
};

/// The rows of a store's choices: calls visit(row, member) for each.
template <typename Visit>
void visit_choices(detail::OptionsOf<StoreOptions> auto& store, Visit&& visit) {
  visit(Choice{.name = "algorithm",
               .option = "algorithm",
               .help = "which MPHF",
               .names = mphf_algorithms},
        store.algorithm);
  visit(Choice{.name = "signature_bits",
               .option = "signature",
               .help = "refuse all but 2^-BITS of absent keys without reading a record: 8, 16 or "
                       "32",
               .value_name = "BITS",
               .numbers = std::span(detail::kSignatureBits).subspan(1)},
        store.signature_bits);
  visit(Choice{.name = "backend",
               .option = "backend",
               .help = "where the records are: lmdb, an LMDB environment, whose records can be "
                       "changed; flat, a sealed file, with the quickest lookups",
               .names = store_backends},
        store.backend);
  visit(Choice{.name = "codec",
               .option = "codec",
               .help = "how records are compressed: none; tokens12 or tokens16, each record alone; "
                       "zstd, in blocks; auto, the one of these that suits the goal best",
               .names = store_codecs},
        store.codec);
  visit(Choice{.name = "goal",
               .option = "goal",
               .help = "for auto: size, the least bytes; speed, the least cost of a hit; balanced, "
                       "the least product of both",
               .names = store_goals,
               .recorded = Recorded::unless_default},
        store.goal);
  visit(Choice{.name = "block_bytes",
               .option = "block",
               .help = "for zstd: bytes of records that are compressed together, 512 to 16K",
               .value_name = "SIZE",
               .low = 512,
               .high = 16384,
               .type = ChoiceType::bytes},
        store.block_bytes);
  visit(Choice{.name = "repeated",
               .help = "which records of a repeated key are kept where one is: the first or the "
                       "last of the input, or all, with a LF between each two",
               .names = repeated_records},
        store.repeated);
  visit(Choice{.name = "ordered",
               .option = "ordered",
               .help =
                   "records in the order of their keys, so that those of a prefix, or between two "
                   "bounds, can be read; with the backend flat alone",
               .recorded = Recorded::unless_default},
        store.ordered);
  visit(detail::tree_row(), store.no_tree);
}

}  // namespace crivo
