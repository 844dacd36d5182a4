// SPDX-License-Identifier: Apache-2.0
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

inline constexpr std::array<std::string_view, 6> kHyphenationFindingsInPortuguese{
    "nenhuma tendência clara do tempo de inicialização com um Bloom filter, nem de aumento nem de "
    "diminuição",
    "o tempo diminui quando epsilon cresce, pois há menos funções a calcular, e é maior no menor "
    "epsilon",
    "o tempo de inicialização com um cuckoo filter diminui quando epsilon cresce",
    "o tempo diminui quando epsilon cresce, pois o filtro ocupa menos espaço",
    "a inicialização demora mais com um cuckoo filter na maioria dos casos, pois a sua inserção é "
    "o "
    "algoritmo mais complexo",
    "a hifenização demora mais com um cuckoo filter na maioria dos casos; a vantagem dos Bloom "
    "filters diminui abaixo de 3 %, e com 1 % o cuckoo filter é o mais rápido",
};
/// The tendencies of Figures 5.1 to 5.4 as epsilon grows: falling is -1, none 0.
inline constexpr std::array<int, 4> kHyphenationTendencies{0, -1, -1, -1};

}  // namespace crivo::experiments::printed
