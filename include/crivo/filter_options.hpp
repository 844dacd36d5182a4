// SPDX-License-Identifier: Apache-2.0
/// What a user may ask of a filter.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "crivo/choice.hpp"
#include "crivo/export.hpp"

namespace crivo {

/// The names that FilterOptions::type may have; the first is the default.
CRIVO_API std::span<const std::string_view> filter_types() noexcept;

/// Which filter, and how large. Options beyond `type`, `fpr` and `bits` belong to some types only;
/// for another, anything but the default is Error(usage).
struct FilterOptions {
  std::string type = "ribbon";  ///< one of filter_types()
  /// The highest false-positive rate to allow, from 2^-32 to below 1. With neither this nor `bits`:
  /// 1/256.
  std::optional<double> fpr{};
  /// Instead of `fpr`: the bits of a key's fingerprint, a whole number from 1 to 32 (cuckoo: from
  /// 2, semi-sorted from 4; hash-compaction: 2 to 64); for the types that keep none (of the Bloom
  /// family, and `range`), bits per key.
  std::optional<double> bits{};
  std::uint64_t capacity = 0;  ///< room for so many keys in all, where more are to be added later
  unsigned hashes = 0;         ///< probes of a key; 0: as many as give the lowest rate
  unsigned counter_bits = 4;   ///< of a counter
  unsigned arity = 4;          ///< slots that make up a key's fingerprint
  bool semi_sorted = false;    ///< save a bit a fingerprint by sorting each bucket
  /// Count every one of equal keys, as if each were added anew: keys are then a multiset, and there
  /// is room for all of it.
  bool count_duplicates = false;
  /// Of type `range`: ranges of at most so many numbers have no higher rate than `fpr`.
  std::uint64_t longest_range = 1;
  /// One character: each key stands for itself and for what stands before each such character in
  /// it, unless that is empty. So a lookup of "a/b" tells whether a key is it or begins with
  /// "a/b/". Equal keys are kept once.
  std::string prefixes{};
  bool no_tree = false;  ///< leave out the hash tree
};

namespace detail {
/// Those that are about its keys.
template <typename Visit>
void visit_key_choices(OptionsOf<FilterOptions> auto& filter, Visit&& visit) {
  visit(Choice{.name = "longest_range",
               .option = "longest-range",
               .help = "numbers in the longest range that the rate holds for, 1 to 2^24 (range)",
               .takers = "range",
               .value_name = "L",
               .low = 1,
               .high = std::uint64_t{1} << 24},
        filter.longest_range);
  visit(Choice{.name = "prefixes",
               .option = "prefixes",
               .help = "add what stands before each C in a key, too: a query then tells whether "
                       "anything lies under a prefix",
               .takers = "ribbon fuse split-block-bloom bloom counting-bloom cuckoo "
                         "hash-compaction",
               .value_name = "C",
               .recorded = Recorded::unless_default,
               .type = ChoiceType::text},
        filter.prefixes);
}
}  // namespace detail

/// The rows of a filter's choices: calls visit(row, member) for each.
template <typename Visit>
void visit_choices(detail::OptionsOf<FilterOptions> auto& filter, Visit&& visit) {
  visit(Choice{.name = "type", .option = "type", .help = "which filter", .names = filter_types},
        filter.type);
  visit(Choice{.name = "fpr",
               .option = "fpr",
               .help = "the highest false-positive rate to allow: 0.001, 0.1% or 1/1000; "
                       "default 1/256",
               .value_name = "P",
               .otherwise = "0.00390625",
               .type = ChoiceType::rate},
        filter.fpr);
  visit(Choice{.name = "bits",
               .option = "bits",
               .help = "instead of fpr: fingerprint bits, 1 to 32, for a rate of about 2^-BITS; "
                       "for Bloom filters, bits per key",
               .value_name = "BITS",
               .instead_of = "fpr"},
        filter.bits);
  visit(Choice{.name = "capacity",
               .option = "capacity",
               .help = "total capacity, to add keys later (bloom, counting-bloom, cuckoo)",
               .takers = "bloom counting-bloom cuckoo",
               .low = 1},
        filter.capacity);
  visit(Choice{.name = "hashes",
               .option = "hashes",
               .help = "probes per key; the default has the lowest rate (bloom, counting-bloom)",
               .takers = "bloom counting-bloom",
               .value_name = "K",
               .low = 1,
               .high = 64},
        filter.hashes);
  visit(Choice{.name = "counter_bits",
               .option = "counter-bits",
               .help = "bits per counter (counting-bloom)",
               .takers = "counting-bloom",
               .value_name = "BITS",
               .low = 1,
               .high = 32},
        filter.counter_bits);
  visit(Choice{.name = "arity",
               .option = "arity",
               .help = "slots per key: 3 or 4 (fuse)",
               .takers = "fuse",
               .numbers = detail::kArities},
        filter.arity);
  visit(Choice{.name = "semi_sorted",
               .option = "semi-sorted",
               .help = "save a bit per fingerprint; lookups are slower (cuckoo)",
               .takers = "cuckoo"},
        filter.semi_sorted);
  visit(Choice{.name = "count_duplicates",
               .help = "every one of equal keys counts (counting-bloom)",
               .takers = "counting-bloom"},
        filter.count_duplicates);
  detail::visit_key_choices(filter, visit);
  visit(detail::tree_row(), filter.no_tree);
}

}  // namespace crivo
