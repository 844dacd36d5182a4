// SPDX-License-Identifier: Apache-2.0
/// What a user may ask of a map.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "crivo/choice.hpp"
#include "crivo/export.hpp"
#include "crivo/value_form.hpp"

namespace crivo {

/// The names that MapOptions::algorithm may have; the first is the default.
CRIVO_API std::span<const std::string_view> map_algorithms() noexcept;

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
  bool no_tree = false;         ///< leave out the hash tree
};

/// The rows of a map's choices: calls visit(row, member) for each.
template <typename Visit>
void visit_choices(detail::OptionsOf<MapOptions> auto& map, Visit&& visit) {
  visit(Choice{.name = "algorithm",
               .option = "algorithm",
               .help = "which static function",
               .names = map_algorithms},
        map.algorithm);
  visit(Choice{.name = "values",
               .option = "values",
               .help =
                   "the input is key<TAB>value lines (key NUL value NUL where keys end with NUL); "
                   "a value is a decimal integer, or what its type says"},
        map.values);
  visit(detail::value_type_row(), map.form.type);
  visit(detail::scale_row(), map.form.scale);
  visit(Choice{.name = "value_bits",
               .option = "value-bits",
               .help = "bits per value, 1 to 64; default: as many as the largest needs",
               .value_name = "BITS",
               .low = 1,
               .high = 64},
        map.value_bits);
  visit(Choice{.name = "arity",
               .option = "arity",
               .help = "slots per value: 3 or 4 (fuse)",
               .takers = "fuse",
               .numbers = detail::kArities},
        map.arity);
  visit(Choice{.name = "compress",
               .option = "compress",
               .help = "if some values are frequent: store about their entropy, not their bits "
                       "(ribbon)",
               .takers = "ribbon"},
        map.compress);
  visit(detail::signature_row(), map.signature_bits);
  visit(detail::tree_row(), map.no_tree);
}

}  // namespace crivo
