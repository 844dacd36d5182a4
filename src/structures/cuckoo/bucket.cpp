// SPDX-License-Identifier: Apache-2.0
#include "structures/cuckoo/bucket.hpp"

namespace crivo::filter::cuckoo {
namespace {

/// No constant expression: as a constant the table would be 8 KiB of each program.
SymbolTable made_table() noexcept {
  SymbolTable table{};
  std::array<std::uint32_t, kSlots> s{};
  for (s[3] = 0; s[3] < 16; ++s[3]) {
    for (s[2] = 0; s[2] <= s[3]; ++s[2]) {
      for (s[1] = 0; s[1] <= s[2]; ++s[1]) {
        for (s[0] = 0; s[0] <= s[1]; ++s[0]) {
          table.symbols[symbol_code(s)] =
              static_cast<std::uint16_t>(s[0] | s[1] << 4 | s[2] << 8 | s[3] << 12);
        }
      }
    }
  }
  return table;
}

}  // namespace

const SymbolTable& symbol_table() noexcept {
  static const SymbolTable kTable = made_table();
  return kTable;
}

}  // namespace crivo::filter::cuckoo
