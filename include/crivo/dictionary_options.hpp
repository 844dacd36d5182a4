// SPDX-License-Identifier: Apache-2.0
/// What a user may ask of a dictionary.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "crivo/choice.hpp"
#include "crivo/value_form.hpp"

namespace crivo {

struct DictionaryOptions {
  /// Bits of a token: "8", "10" or "12", or "auto", those with which the file is smallest.
  std::string token_bits = "auto";
  /// Keys of a block, 16 to 256: more take less space and longer to find.
  unsigned block_keys = 64;
  /// The input is in byte order, and read in constant memory; Error(bad_input) names the first line
  /// out of order. The file is the same.
  bool sorted = false;
  /// The input is key-and-value pairs, of which the value stands beside the id.
  bool values = false;
  ValueForm form{};  ///< of the values
  /// Keep what Dictionary::lookup_hashed() takes: an MPHF of the keys, and for each of its ranks a
  /// signature and an id, about (10 + log2 n) / 8 bytes a key.
  bool hashed = false;
  unsigned hashed_signature_bits = 8;  ///< 8 or 16
  bool no_tree = false;                ///< leave out the hash tree
};

namespace detail {
inline constexpr std::array<std::string_view, 4> kTokenBits{"auto", "8", "10", "12"};
inline constexpr std::array kHashedSignatureBits{8U, 16U};
inline std::span<const std::string_view> token_bits_names() noexcept {
  return kTokenBits;
}
}  // namespace detail

/// The rows of a dictionary's choices: calls visit(row, member) for each.
template <typename Visit>
void visit_choices(detail::OptionsOf<DictionaryOptions> auto& dictionary, Visit&& visit) {
  visit(
      Choice{.name = "token_bits",
             .option = "token-bits",
             .help = "bits per token: 8 for words, 12 for long keys; auto takes the smallest file",
             .names = detail::token_bits_names},
      dictionary.token_bits);
  visit(Choice{.name = "block_keys",
               .option = "block-keys",
               .help = "keys per block: more make a smaller file and slower lookups",
               .low = 16,
               .high = 256},
        dictionary.block_keys);
  visit(Choice{.name = "sorted",
               .option = "sorted",
               .help = "the input is in byte order: read it in constant memory",
               .recorded = Recorded::nowhere},
        dictionary.sorted);
  visit(Choice{.name = "values",
               .option = "values",
               .help = "the input is key<TAB>value lines (key NUL value NUL where keys end with "
                       "NUL): keep a number beside each id, of a type that a map's may have",
               .recorded = Recorded::unless_default},
        dictionary.values);
  Choice value_type = detail::value_type_row();
  value_type.needs = "values";
  value_type.recorded = Recorded::unless_default;
  visit(value_type, dictionary.form.type);
  Choice scale = detail::scale_row();
  scale.recorded = Recorded::unless_default;
  visit(scale, dictionary.form.scale);
  visit(Choice{.name = "hashed",
               .option = "hashed",
               .help = "keep hashes of the keys, too, by which ids are found several times "
                       "faster, and wrong ids of some absent keys",
               .recorded = Recorded::unless_default},
        dictionary.hashed);
  visit(Choice{.name = "hashed_signature_bits",
               .option = "signature",
               .help = "find wrong ids by hashes of 2^-BITS of the absent keys: 8 or 16",
               .value_name = "BITS",
               .numbers = detail::kHashedSignatureBits,
               .needs = "hashed",
               .recorded = Recorded::unless_default},
        dictionary.hashed_signature_bits);
  visit(detail::tree_row(), dictionary.no_tree);
}

}  // namespace crivo
