// SPDX-License-Identifier: Apache-2.0
/// What a user may ask of an exact set.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "crivo/choice.hpp"
#include "crivo/export.hpp"

namespace crivo {

/// The names that ExactOptions::algorithm may have.
CRIVO_API std::span<const std::string_view> exact_algorithms() noexcept;

/// Which exact set.
struct ExactOptions {
  std::string algorithm = "ribbon";  ///< one of exact_algorithms()
  /// Keys belong to groups, and are told apart by both. A set of which each group has members at a
  /// rate of its own is smaller by groups. Units of the input are pairs, a key and its group in the
  /// place of a record or value, or, where no columns are named, lines group TAB key; or keys with
  /// a group_delimiter.
  bool grouped = false;
  /// One character, which makes the set `grouped`: the group is what stands before the first of it
  /// in the text of each key, and the key what stands behind it. Empty: units are pairs.
  std::string group_delimiter{};
  /// The rate at which keys outside the universe may be taken for members, at most: from 2^-33 to
  /// below 1. Nothing: whatever the smallest file gives, as its info says.
  std::optional<double> fpr{};
  /// Ranges of keys that the universe covers, NAME=LOW:HIGH with a comma between each two: a
  /// lookup that names an epoch outside of them is answered `outside`.
  std::string covers{};
  bool strict = false;   ///< refuse members that are not in the universe, instead of a warning
  bool no_tree = false;  ///< leave out the hash tree
};

/// The rows of an exact set's choices: calls visit(row, member) for each.
template <typename Visit>
void visit_choices(detail::OptionsOf<ExactOptions> auto& exact, Visit&& visit) {
  visit(Choice{.name = "algorithm", .help = "which structure", .names = exact_algorithms},
        exact.algorithm);
  visit(Choice{.name = "grouped", .help = "keys belong to groups"}, exact.grouped);
  visit(Choice{.name = "group_delimiter",
               .option = "group-delimiter",
               .help = "each key begins with the name of its group, up to the first of this "
                       "character",
               .value_name = "C",
               .recorded = Recorded::nowhere,
               .type = ChoiceType::text},
        exact.group_delimiter);
  visit(Choice{.name = "fpr",
               .option = "fpr",
               .help = "the highest rate at which keys outside the universe may be taken for "
                       "members; default: whatever the smallest file gives",
               .value_name = "P",
               .type = ChoiceType::rate},
        exact.fpr);
  visit(
      Choice{
          .name = "covers",
          .option = "covers",
          .help =
              "what the universe covers, which queries can ask for; commas stand between several",
          .value_name = "NAME=LOW:HIGH",
          .type = ChoiceType::text},
      exact.covers);
  visit(Choice{.name = "strict",
               .option = "strict",
               .help = "refuse members that are not in the universe",
               .recorded = Recorded::nowhere},
        exact.strict);
  visit(detail::tree_row(), exact.no_tree);
}

}  // namespace crivo
