// SPDX-License-Identifier: Apache-2.0
/// How likely one word is to be written where another is meant.
#pragma once

#include <string>
#include <string_view>

namespace crivo::apps {

/// The slips that make `written` of `meant`, both in lower case, each by how rare it is: about 100
/// for a letter that is replaced, left out or one too many, and less for what people do more often:
/// a letter doubled or not, a vowel for a vowel, consonants that sound alike, keys side by side,
/// two letters exchanged; more at a word's beginning. The least sum that there is, in O(|written|
/// |meant|).
unsigned slip_cost(std::u32string_view written, std::u32string_view meant);

/// Returns what an English word sounds like, roughly: its consonants by their sounds, and a vowel
/// that it begins with; "fisics" and "physics" have one. Empty if it has a letter that is none of
/// ASCII's.
std::string sound_of(std::string_view word);

}  // namespace crivo::apps
