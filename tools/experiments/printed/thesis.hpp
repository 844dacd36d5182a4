/// What the thesis (M. B. Silva, "Estudo do efeito de variacoes de Bloom filters no desempenho de
/// algoritmos de hifenizacao de palavras", USP, 2022) prints of its experiments in chapter 5. Its
/// figures are drawn without numbers: what it says of each stands here.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace crivo::experiments::printed {

inline constexpr std::uint64_t kHyphenatedWords = 466'550;
inline constexpr std::uint64_t kHyphenexExceptions = 1'751;
inline constexpr unsigned kHyphenationRepetitions = 30;

/// Figures 5.1 to 5.6.
inline constexpr std::array<std::string_view, 6> kHyphenationFindings{
    "no clear tendency of the initialisation time with a Bloom filter, neither up nor down",
    "the time falls as epsilon grows, for there are fewer functions to compute, and is highest "
    "at the least epsilon",
    "the initialisation time with a cuckoo filter falls as epsilon grows",
    "the time falls as epsilon grows, for the filter takes less space",
    "initialisation takes longer with a cuckoo filter in most cases, for its insertion is the "
    "more complex algorithm",
    "hyphenation takes longer with a cuckoo filter in most cases; the advantage of Bloom "
    "filters shrinks below 3 %, and at 1 % the cuckoo filter is the faster",
};

}  // namespace crivo::experiments::printed
