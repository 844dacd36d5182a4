// SPDX-License-Identifier: Apache-2.0
#include "gen/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace crivo::gen {
namespace {

template <std::size_t kRoom, std::size_t kCount>
constexpr bool all_differ(const std::array<Piece<kRoom>, kCount>& pieces) {
  for (std::size_t i = 0; i < kCount; ++i) {
    for (std::size_t j = i + 1; j < kCount; ++j) {
      if (pieces[i].view() == pieces[j].view()) return false;
    }
  }
  return true;
}

template <std::size_t kRoom, std::size_t kCount>
constexpr bool only(const std::array<Piece<kRoom>, kCount>& pieces, bool vowels) {
  for (const Piece<kRoom>& piece : pieces) {
    for (const char c : piece.view()) {
      if ((std::string_view("aeiou").find(c) != std::string_view::npos) != vowels) return false;
    }
  }
  return true;
}

constexpr std::array<Piece<4>, 32> kInitialOnsets = {
    {{"b"},  {"c"},  {"d"},  {"f"},  {"g"},  {"h"},  {"j"},  {"k"},  {"l"},  {"m"},  {"n"},
     {"p"},  {"r"},  {"s"},  {"t"},  {"v"},  {"w"},  {"z"},  {"ch"}, {"st"}, {"tr"}, {"br"},
     {"pl"}, {"sh"}, {"th"}, {"gr"}, {"pr"}, {"cr"}, {"fl"}, {"sp"}, {"cl"}, {"str"}}};
constexpr std::array<Piece<4>, 32> kMedialOnsets = {
    {{"b"},  {"c"},  {"d"},  {"f"},  {"g"},  {"h"},  {"k"},  {"l"},  {"m"},  {"n"},  {"p"},
     {"r"},  {"s"},  {"t"},  {"v"},  {"z"},  {"nd"}, {"rt"}, {"nt"}, {"st"}, {"ll"}, {"ss"},
     {"rr"}, {"mp"}, {"ch"}, {"nk"}, {"tr"}, {"rm"}, {"ns"}, {"ct"}, {"tt"}, {"ng"}}};
constexpr std::array<Piece<4>, 8> kNuclei = {
    {{"a"}, {"e"}, {"i"}, {"o"}, {"u"}, {"ea"}, {"ou"}, {"io"}}};
constexpr std::array<Piece<4>, 8> kCodas = {
    {{""}, {"n"}, {"r"}, {"s"}, {"t"}, {"l"}, {"ng"}, {"rd"}}};
static_assert(all_differ(kInitialOnsets) && all_differ(kMedialOnsets) && all_differ(kNuclei) &&
              all_differ(kCodas));
static_assert(only(kInitialOnsets, false) && only(kMedialOnsets, false) && only(kNuclei, true) &&
              only(kCodas, false));

// Words of site sections and page names, blank-separated.
constexpr std::string_view kWordList =
    "news shop home mail web info search travel music sport games store forum archive support "
    "download linux movies finance health online members free local city world radio photo chat "
    "books jobs auto "
    "about account action advice agency agenda air album alpha america animal answer apple area "
    "army art asia author award baby back bank base beach beauty best bible bird black blue board "
    "body boston bridge brown browse budget build bulletin business button camera camp canada car "
    "card career castle catalog category center chapter chart chess child china church class "
    "clinic club code coffee college color comment company computer contact contest cook country "
    "course court credit cross culture customer dance data date death design desk detail dialog "
    "digital dinner directory disc doctor dog door dragon dream drive east economy editor "
    "education energy engine english europe event exchange expert family farm fashion feature "
    "field figure file film fire fish flower food football foreign forest form france frame "
    "friend future gallery garden general german gift girl glass global gold golf graphics green "
    "group guest guide hardware harbor heart help hill history holiday horse hospital hotel house "
    "human image index industry insurance island item japan journal justice kids king kitchen "
    "lake land language law league legal lesson letter library license life light link list "
    "london machine magazine main manual map market master media medical member message metal "
    "mobile model money month motor mountain museum nation nature network night north office "
    "opinion order page paper park partner party people person phone picture planet player plus "
    "point policy power press price";
constexpr std::size_t kWords = std::size_t{1} << kDictionaryBits;

constexpr std::array<Piece<12>, kWords> kDictionary = [] {
  std::array<Piece<12>, kWords> words;
  std::size_t at = 0;
  for (Piece<12>& word : words) {
    const std::size_t end = std::min(kWordList.find(' ', at), kWordList.size());
    word = Piece<12>(kWordList.substr(at, end - at));
    at = end + 1;
  }
  if (at != kWordList.size() + 1) throw "the word list does not hold 256 words";
  return words;
}();
static_assert(all_differ(kDictionary));

}  // namespace

char* write_decimal(char* p, std::uint64_t value) noexcept {
  return std::to_chars(p, p + 20, value).ptr;
}

char* write_dictionary_word(char* p, std::uint64_t index) noexcept {
  return kDictionary[index % kWords].write(p);
}

char* write_initial_onset(char* p, std::uint64_t index) noexcept {
  return kInitialOnsets[index % kInitialOnsets.size()].write(p);
}

char* write_medial_onset(char* p, std::uint64_t index) noexcept {
  return kMedialOnsets[index % kMedialOnsets.size()].write(p);
}

char* write_nucleus(char* p, std::uint64_t index) noexcept {
  return kNuclei[index % kNuclei.size()].write(p);
}

char* write_coda(char* p, std::uint64_t index) noexcept {
  return kCodas[index % kCodas.size()].write(p);
}

char* write_syllables(char* p, Bits& bits, unsigned count) noexcept {
  for (; count != 0; --count) {
    p = write_medial_onset(p, bits.take(kOnsetBits));
    p = write_nucleus(p, bits.take(kNucleusBits));
  }
  return p;
}

char* write_pseudo_word(char* p, Bits bits) noexcept {
  if (bits.left >= kSyllableBits) {
    p = write_initial_onset(p, bits.take(kOnsetBits));
    p = write_nucleus(p, bits.take(kNucleusBits));
    p = write_syllables(p, bits, bits.left / kSyllableBits);
    if (bits.left <= kCodaBits) return write_coda(p, bits.take(bits.left));
  }
  if (bits.left == 0) return p;
  p = write_medial_onset(p, bits.take(bits.left < kOnsetBits ? bits.left : kOnsetBits));
  return write_nucleus(p, bits.take(bits.left));
}

}  // namespace crivo::gen
