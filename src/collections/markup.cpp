// SPDX-License-Identifier: Apache-2.0
#include "collections/markup.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>

#include "crivo/error.hpp"

namespace crivo::extract {

/// The bytes of the longest name.
inline constexpr std::size_t kLongestReference = 16;

/// The letter or digit that a reference stands for, given what is between its `&` and its end:
/// `eacute`, `#233`, `#xe9`. `ends` tells whether a `;` follows; without one a name is that of a
/// letter up to U+00FF. 0 for all else: signs, spaces and names that HTML does not have. Signs are
/// those of ASCII, U+0080 to U+00BF but for U+00AA, U+00B5 and U+00BA, U+00D7, U+00F7, U+2000 to
/// U+2BFF and U+3000 to U+303F. `#128` to `#159` are Windows-1252's, as HTML has them.
char32_t referenced_letter(std::string_view reference, bool ends) noexcept;

namespace {

/// The bytes that tell which a tag is: "/script" and "!--" are the longest.
constexpr std::size_t kTagName = 8;

bool is_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_of_reference(char c) noexcept {
  return is_letter(c) || c == '#' || (c >= '0' && c <= '9');
}

bool is_white_space(char c) noexcept {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

char lowered(char c) noexcept {
  return is_letter(c) ? static_cast<char>(c | 0x20) : c;
}

}  // namespace

// A part of the tokens of HTML (HTML Living Standard, 13.2.5): tags with attributes in quotes,
// comments, the raw text of script and style, and references to characters. Not read: CDATA
// sections of XML, entities of a DTD, and which elements a browser would not show.
void MarkupText::begin(bool is_xml, std::uint64_t offset) {
  is_xml_ = is_xml;
  offset_ = offset;
  place_ = Place::text;
}

void MarkupText::add(std::string_view piece) {
  while (!piece.empty()) {
    if (place_ == Place::text) {
      const auto* const sign =
          std::ranges::find_if(piece, [](char c) { return c == '<' || c == '&'; });
      const auto text = static_cast<std::size_t>(sign - piece.begin());
      terms_.add(piece.substr(0, text), offset_);
      piece.remove_prefix(text);
      if (piece.empty()) return;
      add_text(piece.front());
    } else if (place_ == Place::hidden && tag_.empty()) {
      piece.remove_prefix(std::min(piece.find('<'), piece.size()));
      if (piece.empty()) return;
      add(piece.front());
    } else {
      add(piece.front());
    }
    piece.remove_prefix(1);
  }
}

void MarkupText::end() {
  if (place_ == Place::reference) go_on_in_reference('\n');
  terms_.end();
}

void MarkupText::add(char c) {
  switch (place_) {
    case Place::text:
      break;
    case Place::reference:
      go_on_in_reference(c);
      return;
    case Place::tag:
      go_on_in_tag(c);
      return;
    case Place::quoted:
      if (c == quote_) place_ = Place::tag;
      return;
    case Place::comment:
      if (c == '>' && dashes_ >= 2) place_ = Place::text;
      if (c == '-') {
        ++dashes_;
      } else if (c != '!' || dashes_ < 2) {  // "--!>" ends a comment, too
        dashes_ = 0;
      }
      return;
    case Place::hidden:
      if (ends_hidden(c)) place_ = Place::tag;
      return;
  }
}

void MarkupText::add_text(char c) {
  if (c != '<' && c != '&') {
    terms_.add({&c, 1}, offset_);
    return;
  }
  place_ = c == '&' ? Place::reference : Place::tag;
  if (c == '<') terms_.end();
  tag_.clear();
  before_ = c;
}

void MarkupText::go_on_in_reference(char c) {
  if (is_of_reference(c) && tag_.size() < kLongestReference) {
    tag_ += c;
    return;
  }
  place_ = Place::text;
  const bool ends = c == ';';
  if (const char32_t letter = referenced_letter(tag_, ends); letter != 0) {
    char bytes[4];
    const char* const end = put_utf8(letter, bytes);
    terms_.add({bytes, static_cast<std::size_t>(end - bytes)}, offset_);
  } else {
    terms_.end();
    // "AT&T" has no reference: what stands behind the sign is text.
    if (!ends) terms_.add(tag_, offset_);
  }
  if (!ends) add_text(c);
}

void MarkupText::go_on_in_tag(char c) {
  if (c == '>') {
    end_tag();
    return;
  }
  if (tag_.empty() && !is_letter(c) && c != '/' && c != '!' && c != '?') {
    place_ = Place::text;  // "a < b" has no tag
    add_text(c);
    return;
  }
  // A value may hold ">".
  if ((c == '"' || c == '\'') && before_ == '=' && is_letter(tag_.front())) {
    place_ = Place::quoted;
    quote_ = c;
  }
  if (tag_.size() < kTagName) tag_ += lowered(c);
  if (tag_ == "!--") {
    place_ = Place::comment;
    dashes_ = 2;  // "<!-->" is one
  }
  if (!is_white_space(c)) before_ = c;
}

void MarkupText::end_tag() {
  place_ = Place::text;
  if (is_xml_ && before_ == '/') return;
  for (const std::string_view element : {"script", "style"}) {
    const bool is_it = tag_.starts_with(element) &&
                       (tag_.size() == element.size() || !is_letter(tag_[element.size()]));
    if (!is_it) continue;
    hidden_ = element;
    tag_.clear();
    place_ = Place::hidden;
  }
}

bool MarkupText::ends_hidden(char c) {
  if (c == '<') {
    tag_ = "<";
  } else if (!tag_.empty()) {
    tag_ += lowered(c);
    const std::string end = "</" + hidden_;
    if (tag_ == end) {
      tag_ = "/";
      return true;
    }
    if (!end.starts_with(tag_)) tag_.clear();
  }
  return false;
}

namespace {

struct NamedLetter {
  std::string_view name;
  char16_t letter;
};

/// The letters that HTML has names for, from the feminine ordinal (U+00AA) to Cyrillic, by name.
constexpr auto kNamedLetters = std::to_array<NamedLetter>(
    {{"AElig", 0xc6},        {"Aacute", 0xc1},      {"Abreve", 0x102},
     {"Acirc", 0xc2},        {"Acy", 0x410},        {"Agrave", 0xc0},
     {"Alpha", 0x391},       {"Amacr", 0x100},      {"Aogon", 0x104},
     {"Aring", 0xc5},        {"Atilde", 0xc3},      {"Auml", 0xc4},
     {"Bcy", 0x411},         {"Beta", 0x392},       {"CHcy", 0x427},
     {"Cacute", 0x106},      {"Ccaron", 0x10c},     {"Ccedil", 0xc7},
     {"Ccirc", 0x108},       {"Cdot", 0x10a},       {"Chi", 0x3a7},
     {"DJcy", 0x402},        {"DScy", 0x405},       {"DZcy", 0x40f},
     {"Dcaron", 0x10e},      {"Dcy", 0x414},        {"Delta", 0x394},
     {"Dstrok", 0x110},      {"ENG", 0x14a},        {"ETH", 0xd0},
     {"Eacute", 0xc9},       {"Ecaron", 0x11a},     {"Ecirc", 0xca},
     {"Ecy", 0x42d},         {"Edot", 0x116},       {"Egrave", 0xc8},
     {"Emacr", 0x112},       {"Eogon", 0x118},      {"Epsilon", 0x395},
     {"Eta", 0x397},         {"Euml", 0xcb},        {"Fcy", 0x424},
     {"GJcy", 0x403},        {"Gamma", 0x393},      {"Gammad", 0x3dc},
     {"Gbreve", 0x11e},      {"Gcedil", 0x122},     {"Gcirc", 0x11c},
     {"Gcy", 0x413},         {"Gdot", 0x120},       {"HARDcy", 0x42a},
     {"Hcirc", 0x124},       {"Hstrok", 0x126},     {"IEcy", 0x415},
     {"IJlig", 0x132},       {"IOcy", 0x401},       {"Iacute", 0xcd},
     {"Icirc", 0xce},        {"Icy", 0x418},        {"Idot", 0x130},
     {"Igrave", 0xcc},       {"Imacr", 0x12a},      {"Iogon", 0x12e},
     {"Iota", 0x399},        {"Itilde", 0x128},     {"Iukcy", 0x406},
     {"Iuml", 0xcf},         {"Jcirc", 0x134},      {"Jcy", 0x419},
     {"Jsercy", 0x408},      {"Jukcy", 0x404},      {"KHcy", 0x425},
     {"KJcy", 0x40c},        {"Kappa", 0x39a},      {"Kcedil", 0x136},
     {"Kcy", 0x41a},         {"LJcy", 0x409},       {"Lacute", 0x139},
     {"Lambda", 0x39b},      {"Lcaron", 0x13d},     {"Lcedil", 0x13b},
     {"Lcy", 0x41b},         {"Lmidot", 0x13f},     {"Lstrok", 0x141},
     {"Mcy", 0x41c},         {"Mu", 0x39c},         {"NJcy", 0x40a},
     {"Nacute", 0x143},      {"Ncaron", 0x147},     {"Ncedil", 0x145},
     {"Ncy", 0x41d},         {"Ntilde", 0xd1},      {"Nu", 0x39d},
     {"OElig", 0x152},       {"Oacute", 0xd3},      {"Ocirc", 0xd4},
     {"Ocy", 0x41e},         {"Odblac", 0x150},     {"Ograve", 0xd2},
     {"Omacr", 0x14c},       {"Omega", 0x3a9},      {"Omicron", 0x39f},
     {"Oslash", 0xd8},       {"Otilde", 0xd5},      {"Ouml", 0xd6},
     {"Pcy", 0x41f},         {"Phi", 0x3a6},        {"Pi", 0x3a0},
     {"Psi", 0x3a8},         {"Racute", 0x154},     {"Rcaron", 0x158},
     {"Rcedil", 0x156},      {"Rcy", 0x420},        {"Rho", 0x3a1},
     {"SHCHcy", 0x429},      {"SHcy", 0x428},       {"SOFTcy", 0x42c},
     {"Sacute", 0x15a},      {"Scaron", 0x160},     {"Scedil", 0x15e},
     {"Scirc", 0x15c},       {"Scy", 0x421},        {"Sigma", 0x3a3},
     {"THORN", 0xde},        {"TSHcy", 0x40b},      {"TScy", 0x426},
     {"Tau", 0x3a4},         {"Tcaron", 0x164},     {"Tcedil", 0x162},
     {"Tcy", 0x422},         {"Theta", 0x398},      {"Tstrok", 0x166},
     {"Uacute", 0xda},       {"Ubrcy", 0x40e},      {"Ubreve", 0x16c},
     {"Ucirc", 0xdb},        {"Ucy", 0x423},        {"Udblac", 0x170},
     {"Ugrave", 0xd9},       {"Umacr", 0x16a},      {"Uogon", 0x172},
     {"Upsi", 0x3d2},        {"Upsilon", 0x3a5},    {"Uring", 0x16e},
     {"Utilde", 0x168},      {"Uuml", 0xdc},        {"Vcy", 0x412},
     {"Wcirc", 0x174},       {"Xi", 0x39e},         {"YAcy", 0x42f},
     {"YIcy", 0x407},        {"YUcy", 0x42e},       {"Yacute", 0xdd},
     {"Ycirc", 0x176},       {"Ycy", 0x42b},        {"Yuml", 0x178},
     {"ZHcy", 0x416},        {"Zacute", 0x179},     {"Zcaron", 0x17d},
     {"Zcy", 0x417},         {"Zdot", 0x17b},       {"Zeta", 0x396},
     {"aacute", 0xe1},       {"abreve", 0x103},     {"acirc", 0xe2},
     {"acy", 0x430},         {"aelig", 0xe6},       {"agrave", 0xe0},
     {"alpha", 0x3b1},       {"amacr", 0x101},      {"angst", 0xc5},
     {"aogon", 0x105},       {"aring", 0xe5},       {"atilde", 0xe3},
     {"auml", 0xe4},         {"bcy", 0x431},        {"beta", 0x3b2},
     {"cacute", 0x107},      {"ccaron", 0x10d},     {"ccedil", 0xe7},
     {"ccirc", 0x109},       {"cdot", 0x10b},       {"chcy", 0x447},
     {"chi", 0x3c7},         {"dcaron", 0x10f},     {"dcy", 0x434},
     {"delta", 0x3b4},       {"digamma", 0x3dd},    {"djcy", 0x452},
     {"dscy", 0x455},        {"dstrok", 0x111},     {"dzcy", 0x45f},
     {"eacute", 0xe9},       {"ecaron", 0x11b},     {"ecirc", 0xea},
     {"ecy", 0x44d},         {"edot", 0x117},       {"egrave", 0xe8},
     {"emacr", 0x113},       {"eng", 0x14b},        {"eogon", 0x119},
     {"epsi", 0x3b5},        {"epsilon", 0x3b5},    {"epsiv", 0x3f5},
     {"eta", 0x3b7},         {"eth", 0xf0},         {"euml", 0xeb},
     {"fcy", 0x444},         {"fnof", 0x192},       {"gacute", 0x1f5},
     {"gamma", 0x3b3},       {"gammad", 0x3dd},     {"gbreve", 0x11f},
     {"gcirc", 0x11d},       {"gcy", 0x433},        {"gdot", 0x121},
     {"gjcy", 0x453},        {"hardcy", 0x44a},     {"hcirc", 0x125},
     {"hstrok", 0x127},      {"iacute", 0xed},      {"icirc", 0xee},
     {"icy", 0x438},         {"iecy", 0x435},       {"igrave", 0xec},
     {"ijlig", 0x133},       {"imacr", 0x12b},      {"imath", 0x131},
     {"imped", 0x1b5},       {"inodot", 0x131},     {"iocy", 0x451},
     {"iogon", 0x12f},       {"iota", 0x3b9},       {"itilde", 0x129},
     {"iukcy", 0x456},       {"iuml", 0xef},        {"jcirc", 0x135},
     {"jcy", 0x439},         {"jmath", 0x237},      {"jsercy", 0x458},
     {"jukcy", 0x454},       {"kappa", 0x3ba},      {"kappav", 0x3f0},
     {"kcedil", 0x137},      {"kcy", 0x43a},        {"kgreen", 0x138},
     {"khcy", 0x445},        {"kjcy", 0x45c},       {"lacute", 0x13a},
     {"lambda", 0x3bb},      {"lcaron", 0x13e},     {"lcedil", 0x13c},
     {"lcy", 0x43b},         {"ljcy", 0x459},       {"lmidot", 0x140},
     {"lstrok", 0x142},      {"mcy", 0x43c},        {"micro", 0xb5},
     {"mu", 0x3bc},          {"nacute", 0x144},     {"napos", 0x149},
     {"ncaron", 0x148},      {"ncedil", 0x146},     {"ncy", 0x43d},
     {"njcy", 0x45a},        {"ntilde", 0xf1},      {"nu", 0x3bd},
     {"oacute", 0xf3},       {"ocirc", 0xf4},       {"ocy", 0x43e},
     {"odblac", 0x151},      {"oelig", 0x153},      {"ograve", 0xf2},
     {"ohm", 0x3a9},         {"omacr", 0x14d},      {"omega", 0x3c9},
     {"omicron", 0x3bf},     {"ordf", 0xaa},        {"ordm", 0xba},
     {"oslash", 0xf8},       {"otilde", 0xf5},      {"ouml", 0xf6},
     {"pcy", 0x43f},         {"phi", 0x3c6},        {"phiv", 0x3d5},
     {"pi", 0x3c0},          {"piv", 0x3d6},        {"psi", 0x3c8},
     {"racute", 0x155},      {"rcaron", 0x159},     {"rcedil", 0x157},
     {"rcy", 0x440},         {"rho", 0x3c1},        {"rhov", 0x3f1},
     {"sacute", 0x15b},      {"scaron", 0x161},     {"scedil", 0x15f},
     {"scirc", 0x15d},       {"scy", 0x441},        {"shchcy", 0x449},
     {"shcy", 0x448},        {"sigma", 0x3c3},      {"sigmaf", 0x3c2},
     {"sigmav", 0x3c2},      {"softcy", 0x44c},     {"straightepsilon", 0x3f5},
     {"straightphi", 0x3d5}, {"szlig", 0xdf},       {"tau", 0x3c4},
     {"tcaron", 0x165},      {"tcedil", 0x163},     {"tcy", 0x442},
     {"theta", 0x3b8},       {"thetasym", 0x3d1},   {"thetav", 0x3d1},
     {"thorn", 0xfe},        {"tscy", 0x446},       {"tshcy", 0x45b},
     {"tstrok", 0x167},      {"uacute", 0xfa},      {"ubrcy", 0x45e},
     {"ubreve", 0x16d},      {"ucirc", 0xfb},       {"ucy", 0x443},
     {"udblac", 0x171},      {"ugrave", 0xf9},      {"umacr", 0x16b},
     {"uogon", 0x173},       {"upsi", 0x3c5},       {"upsih", 0x3d2},
     {"upsilon", 0x3c5},     {"uring", 0x16f},      {"utilde", 0x169},
     {"uuml", 0xfc},         {"varepsilon", 0x3f5}, {"varkappa", 0x3f0},
     {"varphi", 0x3d5},      {"varpi", 0x3d6},      {"varrho", 0x3f1},
     {"varsigma", 0x3c2},    {"vartheta", 0x3d1},   {"vcy", 0x432},
     {"wcirc", 0x175},       {"xi", 0x3be},         {"yacute", 0xfd},
     {"yacy", 0x44f},        {"ycirc", 0x177},      {"ycy", 0x44b},
     {"yicy", 0x457},        {"yucy", 0x44e},       {"yuml", 0xff},
     {"zacute", 0x17a},      {"zcaron", 0x17e},     {"zcy", 0x437},
     {"zdot", 0x17c},        {"zeta", 0x3b6},       {"zhcy", 0x436}});
static_assert(std::ranges::is_sorted(kNamedLetters, {}, &NamedLetter::name));

/// The last code point that a name without its `;` stands for: so old pages write them.
constexpr char32_t kLastUnended = 0xff;

/// Returns the letter that Windows-1252 has at a code from 0x80 to 0x9f; 0 where it has none.
constexpr char32_t letter_of_windows(char32_t code) noexcept {
  switch (code) {
    case 0x83:
      return 0x192;
    case 0x8a:
      return 0x160;
    case 0x8c:
      return 0x152;
    case 0x8e:
      return 0x17d;
    case 0x9a:
      return 0x161;
    case 0x9c:
      return 0x153;
    case 0x9e:
      return 0x17e;
    case 0x9f:
      return 0x178;
    default:
      return 0;
  }
}

constexpr bool is_within(char32_t code, char32_t first, char32_t last) noexcept {
  return code >= first && code <= last;
}

/// Whether a code point is taken for a part of a term: letters and digits of ASCII, and what stands
/// outside of the blocks of signs.
constexpr bool is_of_term(char32_t code) noexcept {
  if (code < 0x80)
    return is_within(code, '0', '9') || is_within(code, 'A', 'Z') || is_within(code, 'a', 'z');
  if (code < 0xc0) return code == 0xaa || code == 0xb5 || code == 0xba;
  constexpr char32_t kLast = 0x10ffff;
  return code != 0xd7 && code != 0xf7 && !is_within(code, 0x2000, 0x2bff) &&
         !is_within(code, 0x3000, 0x303f) && !is_within(code, 0xd800, 0xdfff) && code <= kLast;
}

/// The number of these digits, of which at least one must be there; 0 if they are none.
char32_t number_of(std::string_view digits, int base) noexcept {
  std::uint32_t code = 0;
  const char* const end = digits.data() + digits.size();
  const auto [behind, error] = std::from_chars(digits.data(), end, code, base);
  return error == std::errc() && behind == end ? char32_t{code} : 0;
}

}  // namespace

char32_t referenced_letter(std::string_view reference, bool ends) noexcept {
  char32_t code = 0;
  if (reference.starts_with("#x") || reference.starts_with("#X")) {
    constexpr int kHexadecimal = 16;
    code = number_of(reference.substr(2), kHexadecimal);
  } else if (reference.starts_with('#')) {
    constexpr int kDecimal = 10;
    code = number_of(reference.substr(1), kDecimal);
  } else {
    const auto* const found =
        std::ranges::lower_bound(kNamedLetters, reference, {}, &NamedLetter::name);
    const bool is_named = found != kNamedLetters.end() && found->name == reference;
    return is_named && (ends || found->letter <= kLastUnended) ? char32_t{found->letter} : 0;
  }
  if (is_within(code, 0x80, 0x9f)) return letter_of_windows(code);
  return is_of_term(code) ? code : 0;
}

}  // namespace crivo::extract
