// SPDX-License-Identifier: Apache-2.0
/// The dissertation's ordinary hash functions as its Figures 2.1 to 2.7 print them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace crivo::experiments {

/// The functions, by the sums that they make.
enum class DrawnKind {
  hu64,  ///< Figure 2.2: weights below m, products of 32 bits, a sum of 64 bits
  hu32,  ///< the same with a sum of 32 bits, as the document's text has it
  hz64,  ///< Figure 2.4 but for its cast: a sum of 64 bits
  hz32,  ///< Figure 2.4: the sum is cast to 32 bits before it is reduced
  hj,    ///< Figure 2.7: Jenkins's, with another initial value of c
};

/// A value that a sum or product would have had is above what its type holds.
struct Overflows {
  std::uint64_t products = 0;  ///< of a weight and a byte, above 2^32
  std::uint64_t sums = 0;      ///< above 2^32, where the sum has 32 bits
};

/// One of the family's functions, drawn at random: a key's value in [0, m), one at a time. Its
/// pseudo-random numbers have 31 bits, as rand() gives them, and are of a generator of its own, so
/// that they are the same everywhere.
class DrawnFunction {
 public:
  /// `longest` is the length of the longest key, t_max.
  DrawnFunction(DrawnKind kind, std::uint32_t m, std::size_t longest, std::uint64_t seed);

  std::uint32_t operator()(std::string_view key) const noexcept;
  /// What computing it overflows.
  void count(std::string_view key, Overflows& overflows) const noexcept;

 private:
  std::uint32_t jenkins(std::string_view key) const noexcept;

  DrawnKind kind_;
  std::uint32_t m_;
  std::uint32_t initial_ = 0;           ///< of hj
  std::vector<std::uint32_t> weights_;  ///< of hu by place; of hz by place and byte
};

}  // namespace crivo::experiments
