// SPDX-License-Identifier: Apache-2.0
/// What the slides (MPEI, "Solucao Probabilistica do Problema da Pertenca a um Conjunto", 2019) and
/// the short text on Bloom filters print. In both m and n change places: here cells of the filter
/// are `cells`, the keys that it holds `keys`.
#pragma once

#include <array>

namespace crivo::experiments::printed {

/// The slides' "Effect of k": 8 cells a key.
inline constexpr unsigned kSlidesCells = 8;
struct RateRow {
  unsigned k;
  double rate;
};
/// The second is a slip: the formula beside it, (1 - e^(-2/8))^2, is 0.0489.
inline constexpr std::array<RateRow, 2> kSlidesRates{{{1, 0.1175}, {2, 0.00493}}};
inline constexpr double kSlidesBestK = 5.54;
inline constexpr unsigned kSlidesTakenK = 6;

/// The short text's picture (18 cells, 3 functions, 3 keys) and its program (100 cells, 3
/// functions).
inline constexpr unsigned kTextK = 3;
inline constexpr unsigned kPictureCells = 18;
inline constexpr unsigned kPictureKeys = 3;
inline constexpr unsigned kProgramCells = 100;

}  // namespace crivo::experiments::printed
