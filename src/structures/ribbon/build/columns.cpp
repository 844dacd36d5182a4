// SPDX-License-Identifier: Apache-2.0
#include "structures/ribbon/build/columns.hpp"

namespace crivo::ribbon {
namespace {

template <typename Value>
SolveColumns<Value> solve_columns([[maybe_unused]] base::Cpu cpu) noexcept {
#if defined(__x86_64__)
  if (cpu == base::Cpu::avx512 && __builtin_cpu_supports("avx512vpopcntdq") != 0) {
    return solve_columns_avx512<Value>();
  }
  if (cpu >= base::Cpu::avx2) return solve_columns_avx2<Value>();
#endif
  return nullptr;
}

}  // namespace

template <typename Value>
void append_solution(Band<std::uint64_t, Value>& band, const LayerForm& form, base::Cpu cpu,
                     base::Bytes& out) {
  if (const auto solve = solve_columns<Value>(cpu)) {
    const std::size_t begin = out.size();
    out.resize(begin + form.bytes());
    solve(band.coefficients(), band.values(), form, out.data() + begin);
    return;
  }
  band.solve();
  interleave(band.values(), form.slots, form.width, form.narrow_blocks, out);
}

void append_solution(Band<Uint128, std::uint8_t>& band, const LayerForm& form, base::Cpu,
                     base::Bytes& out) {
  const std::size_t begin = out.size();
  out.resize(begin + form.bytes());
  const Uint128* const rows = band.coefficients();
  const std::uint8_t* const sides = band.values();
  Uint128 last = 0;  // bit t: the slot t after the one in turn
  for (std::uint64_t slot = form.slots; slot-- != 0;) {
    const Uint128 taken = rows[slot] >> 1 & last;
    const int odd = __builtin_parityll(static_cast<std::uint64_t>(taken) ^
                                       static_cast<std::uint64_t>(taken >> 64));
    last = last << 1 | ((static_cast<unsigned>(odd) ^ sides[slot]) & 1U);
    if (slot % kBlockSlots == 0) out[begin + slot / kBlockSlots] = static_cast<std::byte>(last);
  }
}

template void append_solution(Band<std::uint64_t, std::uint8_t>&, const LayerForm&, base::Cpu,
                              base::Bytes&);
template void append_solution(Band<std::uint64_t, std::uint16_t>&, const LayerForm&, base::Cpu,
                              base::Bytes&);
template void append_solution(Band<std::uint64_t, std::uint32_t>&, const LayerForm&, base::Cpu,
                              base::Bytes&);
template void append_solution(Band<std::uint64_t, std::uint64_t>&, const LayerForm&, base::Cpu,
                              base::Bytes&);

}  // namespace crivo::ribbon
