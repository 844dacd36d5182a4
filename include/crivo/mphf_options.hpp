// SPDX-License-Identifier: Apache-2.0
/// What a user may ask of an MPHF.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "crivo/choice.hpp"
#include "crivo/export.hpp"

namespace crivo {

/// The names that MphfOptions::algorithm may have; the first is the default.
CRIVO_API std::span<const std::string_view> mphf_algorithms() noexcept;
/// The names that MphfOptions::hash may have; the first is the default.
CRIVO_API std::span<const std::string_view> key_hashes() noexcept;

struct MphfOptions {
  std::string algorithm = "fast";  ///< one of mphf_algorithms()
  unsigned effort = 0;  ///< 0 to the algorithm's highest: more time in the build, less space
  unsigned signature_bits = 0;  ///< 0, 8, 16 or 32: refuse all but 2^-bits of absent keys
  /// The key hash, one of key_hashes(); only the seeds' algorithms (mwhc2, mwhc3, fch, bmz, bdz)
  /// take another than xxh3. universal and zobrist refuse keys of more than 4096 bytes.
  std::string hash = "xxh3";
  /// Theirs too: whether their functions' values are made numbers below m without favouring any,
  /// and not as the dissertation does it.
  bool unbiased = false;
  bool no_tree = false;  ///< leave out the hash tree
};

/// The rows of an MPHF's choices: calls visit(row, member) for each.
template <typename Visit>
void visit_choices(detail::OptionsOf<MphfOptions> auto& mphf, Visit&& visit) {
  visit(Choice{.name = "algorithm",
               .option = "algorithm",
               .help = "which MPHF; with mwhc2 and mwhc3 the rank is the key's place in the input",
               .names = mphf_algorithms},
        mphf.algorithm);
  visit(Choice{.name = "effort",
               .option = "effort",
               .help = "less space for more time in the build: 0 to 2 (compact, tiny)",
               .takers = "compact tiny"},
        mphf.effort);
  visit(detail::signature_row(), mphf.signature_bits);
  visit(
      Choice{.name = "hash",
             .option = "hash",
             .help = "key hash of mwhc2, mwhc3, fch, bmz and bdz; the others use xxh3, or siphash "
                     "if it is keyed",
             .takers = "mwhc2 mwhc3 fch bmz bdz",
             .names = key_hashes,
             .recorded = Recorded::in_header},
      mphf.hash);
  visit(Choice{.name = "unbiased",
               .option = "unbiased",
               .help = "for these: map hash values to [0, m) evenly, not by the dissertation's mod "
                       "m, or mask and xor",
               .takers = "mwhc2 mwhc3 fch bmz bdz"},
        mphf.unbiased);
  visit(detail::tree_row(), mphf.no_tree);
}

}  // namespace crivo
