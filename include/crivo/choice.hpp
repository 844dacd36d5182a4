// SPDX-License-Identifier: Apache-2.0
/// The table of choices: what can be asked of each kind of index, for programs that take choices by
/// name, such as command lines and other languages.
///
/// Each structure of options (FilterOptions and the like) has its rows below it, in the function
/// visit_choices(): a row and the member that it is about. Whatever names options reads those rows:
/// checks, `--help`, metadata, build ids, journals, crivo.h and Python.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "crivo/export.hpp"
#include "crivo/value_form.hpp"

namespace crivo {

/// What the value of a choice is, as a text.
enum class ChoiceType : std::uint8_t {
  flag,    ///< 0 or 1
  count,   ///< a whole number in decimal digits
  bytes,   ///< the same, of bytes
  rate,    ///< a number between 0 and 1
  number,  ///< a decimal number, such as 9.5
  name,    ///< one of Choice::names
  text,    ///< any text, which its structure reads
};

/// Where a choice is recorded.
enum class Recorded : std::uint8_t {
  in_metadata,  ///< as `crivo.` and its name, if the structure takes it; so it is in the build id
  unless_default,  ///< the same of another value than the default: where files had no such choice
  in_header,       ///< the header of a file tells it, which the build id covers too
  nowhere,         ///< it is about the input: equal keys make equal files
};

/// A row of the table.
struct Choice {
  std::string_view name;      ///< of the member of the options
  std::string_view option{};  ///< of the program, without its dashes; empty: another decides
  std::string_view help;      ///< a line
  /// The algorithms or types that take it, with a blank between each two; empty: all of the kind.
  /// For others anything but the default is Error(usage).
  std::string_view takers{};
  std::string_view value_name = "N";  ///< in --help, of what is neither a flag nor a name
  /// Of counts: the range, or if there are any the only numbers. A default outside is chosen by the
  /// structure, and has no name.
  std::uint64_t low = 0;
  std::uint64_t high = std::numeric_limits<std::uint64_t>::max();
  std::span<const unsigned> numbers{};
  std::span<const std::string_view> (*names)() noexcept = nullptr;  ///< of ChoiceType::name
  /// The default of a choice that has none in the options: what is taken if neither this nor the
  /// choice that is instead of it is given.
  std::string_view otherwise{};
  std::string_view instead_of{};  ///< a choice that cannot be given with this one
  std::string_view needs{};       ///< a choice that must be given with this one
  Recorded recorded = Recorded::in_metadata;
  ChoiceType type = ChoiceType::name;  ///< named of bytes, rates and texts: the member tells others
  std::string initial{};               ///< the default, of the member too; empty if there is none
};

namespace detail {
/// `Options`, const or not.
template <typename T, typename Options>
concept OptionsOf = std::same_as<std::remove_const_t<T>, Options>;

inline constexpr std::array kSignatureBits{0U, 8U, 16U, 32U};
inline constexpr std::array kArities{3U, 4U};

/// Of what answers for any key where there are no signatures.
inline Choice signature_row() {
  return {
      .name = "signature_bits",
      .option = "signature",
      .help = "refuse all but 2^-BITS of the keys outside the set: 0 (refuse none), 8, 16 or 32",
      .value_name = "BITS",
      .numbers = kSignatureBits};
}

/// Of numbers that belong to keys.
inline Choice value_type_row() {
  return {.name = "value_type",
          .option = "value-type",
          .help = "unsigned (below 2^64), signed (from -2^63), or decimal (such as -12.50)",
          .names = value_types};
}
inline Choice scale_row() {
  return {.name = "scale",
          .option = "scale",
          .help = "digits after the point of a decimal, 0 to 18",
          .high = kMaxValueScale,
          .needs = "value_type"};
}

/// Of every kind.
inline Choice tree_row() {
  return {.name = "no_tree",
          .option = "no-tree",
          .help = "no hash tree: a signature then is checked by reading the whole file",
          .recorded = Recorded::unless_default};
}
}  // namespace detail

/// Names and values of some choices of a kind; the others have their defaults.
using Choices = std::map<std::string, std::string, std::less<>>;

}  // namespace crivo
