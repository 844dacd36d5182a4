// SPDX-License-Identifier: Apache-2.0
#include "apps/likeness.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace crivo::apps {
namespace {

// A letter replaced, left out or too many costs 100; nothing less is below a third of it.
constexpr unsigned kReplaced = 100;
constexpr unsigned kAccent = 35;  ///< the same letter, with another accent or none
constexpr unsigned kVowels = 55;
constexpr unsigned kAlike = 65;
constexpr unsigned kKeys = 80;
constexpr unsigned kLeftOut = 90;
constexpr unsigned kTooMany = 95;
constexpr unsigned kSilent = 70;  ///< an h or e, which often are not heard
constexpr unsigned kDoubled = 35;
constexpr unsigned kExchanged = 50;
constexpr unsigned kFirst = 60;  ///< more, where a word begins otherwise
constexpr unsigned kApostrophe = 45;

bool has(std::u32string_view letters, char32_t letter) noexcept {
  return letters.find(letter) != std::u32string_view::npos;
}
bool is_vowel(char32_t letter) noexcept {
  return has(U"aeiouy", letter);
}
bool are_in_one(std::span<const std::u32string_view> groups, char32_t a, char32_t b) noexcept {
  return std::ranges::any_of(groups, [&](auto group) { return has(group, a) && has(group, b); });
}

bool sound_alike(char32_t a, char32_t b) noexcept {
  static constexpr std::array<std::u32string_view, 7> kGroups{U"ckqsxz", U"gj", U"dt", U"mn",
                                                              U"bp",     U"fv", U"uw"};
  return are_in_one(kGroups, a, b);
}

bool are_neighbours(char32_t a, char32_t b) noexcept {
  static constexpr std::array<std::u32string_view, 3> kRows{U"qwertyuiop", U"asdfghjkl",
                                                            U"zxcvbnm"};
  for (std::size_t row = 0; row < kRows.size(); ++row) {
    const std::size_t at = kRows[row].find(a);
    if (at == std::u32string_view::npos) continue;
    for (std::size_t other = 0; other < kRows.size(); ++other) {
      const std::size_t there = kRows[other].find(b);
      if (there == std::u32string_view::npos) continue;
      // A key lies between two of the row above, to the left one of which it has the same number.
      if (other == row) return at + 1 == there || there + 1 == at;
      if (other == row + 1) return there == at || there + 1 == at;
      if (row == other + 1) return there == at || there == at + 1;
      return false;
    }
  }
  return false;
}

/// The letter without its accent.
char32_t plain(char32_t letter) noexcept {
  struct Accented {
    std::u32string_view letters;
    char32_t plain;
  };
  static constexpr std::array<Accented, 15> kAccented{{{U"áàâãäåāăą", U'a'},
                                                       {U"éèêëēęě", U'e'},
                                                       {U"íìîïī", U'i'},
                                                       {U"óòôõöøōő", U'o'},
                                                       {U"úùûüūůű", U'u'},
                                                       {U"ýÿ", U'y'},
                                                       {U"çćč", U'c'},
                                                       {U"ñńň", U'n'},
                                                       {U"śšş", U's'},
                                                       {U"źżž", U'z'},
                                                       {U"ďđ", U'd'},
                                                       {U"ťţ", U't'},
                                                       {U"ł", U'l'},
                                                       {U"ř", U'r'},
                                                       {U"ğ", U'g'}}};
  if (letter < 0x80) return letter;
  const auto* const found = std::ranges::find_if(
      kAccented, [&](const Accented& accented) { return has(accented.letters, letter); });
  return found != kAccented.end() ? found->plain : letter;
}

unsigned replaced(char32_t written, char32_t meant) noexcept {
  if (written == meant) return 0;
  written = plain(written);
  meant = plain(meant);
  if (written == meant) return kAccent;
  if (is_vowel(written) && is_vowel(meant)) return kVowels;
  if (sound_alike(written, meant)) return kAlike;
  return are_neighbours(written, meant) ? kKeys : kReplaced;
}

/// Returns the cost of a letter of `word` that the other word lacks.
unsigned alone(std::u32string_view word, std::size_t i, unsigned otherwise) noexcept {
  const char32_t letter = word[i];
  if (i > 0 && word[i - 1] == letter) return kDoubled;
  if (letter == U'\'') return kApostrophe;
  return i > 0 && (letter == U'h' || letter == U'e') ? kSilent : otherwise;
}

enum class Where { anywhere, begin, end };

/// How letters sound; of several the first that fits counts, and a letter without one is its own
/// sound.
struct Sound {
  std::string_view letters;
  std::size_t taken;  ///< so many of them; the others say only where it is so
  std::string_view sound;
  Where where = Where::anywhere;

  bool stands_at(std::size_t place, std::string_view rest) const noexcept {
    return rest.starts_with(letters) && (where != Where::begin || place == 0) &&
           (where != Where::end || rest.size() == letters.size());
  }
};

constexpr auto kSounds = std::to_array<Sound>({
    {"tch", 3, "x"},
    {"ch", 2, "x"},
    {"cia", 1, "x"},
    {"cio", 1, "x"},
    {"cea", 1, "x"},
    {"ceo", 1, "x"},
    {"ce", 1, "s"},
    {"ci", 1, "s"},
    {"cy", 1, "s"},
    {"c", 1, "k"},
    {"dge", 2, "j"},
    {"dgi", 2, "j"},
    {"dgy", 2, "j"},
    {"d", 1, "t"},
    {"gh", 2, "f", Where::end},
    {"gh", 2, ""},
    {"gn", 1, "", Where::begin},
    {"gn", 1, "", Where::end},
    {"ge", 1, "j"},
    {"gi", 1, "j"},
    {"gy", 1, "j"},
    {"g", 1, "k"},
    {"kn", 1, "", Where::begin},
    {"ph", 2, "f"},
    {"ps", 1, "", Where::begin},
    {"pn", 1, "", Where::begin},
    {"b", 1, "p"},
    {"q", 1, "k"},
    {"sh", 2, "x"},
    {"sce", 2, "s"},
    {"sci", 2, "s"},
    {"scy", 2, "s"},
    {"sia", 1, "x"},
    {"sio", 1, "x"},
    {"tia", 1, "x"},
    {"tio", 1, "x"},
    {"th", 2, "t"},
    {"v", 1, "f"},
    {"x", 1, "s", Where::begin},
    {"x", 1, "ks"},
    {"z", 1, "s"},
    {"wr", 1, "", Where::begin},
    {"w", 1, "w", Where::begin},
    {"w", 1, ""},
    {"h", 1, "h", Where::begin},
    {"h", 1, ""},
    {"a", 1, "a", Where::begin},
    {"e", 1, "a", Where::begin},
    {"i", 1, "a", Where::begin},
    {"o", 1, "a", Where::begin},
    {"u", 1, "a", Where::begin},
    {"y", 1, "a", Where::begin},
    {"a", 1, ""},
    {"e", 1, ""},
    {"i", 1, ""},
    {"o", 1, ""},
    {"u", 1, ""},
    {"y", 1, ""},
});

}  // namespace

unsigned slip_cost(std::u32string_view written, std::u32string_view meant) {
  const std::size_t width = meant.size() + 1;
  std::vector<unsigned> costs((written.size() + 1) * width);
  const auto cost = [&](std::size_t i, std::size_t j) -> unsigned& { return costs[i * width + j]; };
  for (std::size_t i = 0; i <= written.size(); ++i) {
    for (std::size_t j = 0; j <= meant.size(); ++j) {
      if (i + j == 0) continue;
      unsigned least = UINT32_MAX;
      const unsigned first = i <= 1 && j <= 1 ? kFirst : 0;
      if (i > 0) least = std::min(least, cost(i - 1, j) + alone(written, i - 1, kTooMany) + first);
      if (j > 0) least = std::min(least, cost(i, j - 1) + alone(meant, j - 1, kLeftOut) + first);
      if (i > 0 && j > 0) {
        const unsigned slip = replaced(written[i - 1], meant[j - 1]);
        least = std::min(least, cost(i - 1, j - 1) + slip + (slip == 0 ? 0 : first));
      }
      if (i > 1 && j > 1 && written[i - 1] == meant[j - 2] && written[i - 2] == meant[j - 1]) {
        least = std::min(least, cost(i - 2, j - 2) + kExchanged);
      }
      // A letter that moved two places: "yatch".
      if (i > 2 && j > 2 && written[i - 2] == meant[j - 3] && written[i - 1] == meant[j - 2] &&
          written[i - 3] == meant[j - 1]) {
        least = std::min(least, cost(i - 3, j - 3) + 2 * kExchanged);
      }
      cost(i, j) = least;
    }
  }
  return cost(written.size(), meant.size());
}

std::string sound_of(std::string_view word) {
  std::string letters;
  for (const char c : word) {
    if (c == '\'') continue;
    const bool is_upper = c >= 'A' && c <= 'Z';
    if (!is_upper && (c < 'a' || c > 'z')) return {};
    letters += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  std::string sound;
  for (std::size_t i = 0; i < letters.size();) {
    const std::string_view rest = std::string_view(letters).substr(i);
    const auto rule = std::ranges::find_if(
        kSounds, [&](const Sound& sounds) { return sounds.stands_at(i, rest); });
    const bool is_known = rule != kSounds.end();
    for (const char c : is_known ? rule->sound : rest.substr(0, 1)) {
      if (sound.empty() || sound.back() != c) sound += c;
    }
    i += is_known ? rule->taken : 1;
  }
  return sound;
}

}  // namespace crivo::apps
