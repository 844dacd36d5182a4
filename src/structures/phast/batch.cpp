// SPDX-License-Identifier: Apache-2.0
#include "structures/phast/batch.hpp"

#include <algorithm>

namespace crivo::phast {

std::size_t portable_phast_batch(const detail::PhastLevel& mapped,
                                 std::span<const std::uint64_t> halves, std::uint64_t* ranks,
                                 std::uint16_t* bumped) noexcept {
  const detail::PhastLevel level = mapped;  // which the stores to `ranks` cannot change
  std::uint64_t places[kPhastAhead];
  const auto locate = [&](std::size_t i) {
    const std::uint64_t place = level.seed_place(halves[i]);
    level.prefetch(place);
    places[i % kPhastAhead] = place;
  };
  std::size_t count = 0;
  const std::size_t size = halves.size();
  for (std::size_t i = 0; i < std::min(kPhastAhead, size); ++i) locate(i);
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint32_t seed = level.seed(places[i % kPhastAhead]);
    if (i + kPhastAhead < size) locate(i + kPhastAhead);
    ranks[i] = level.value(halves[i], seed);
    bumped[count] = static_cast<std::uint16_t>(i);
    count += seed == 0 ? 1 : 0;
  }
  return count;
}

PhastBatch phast_batch([[maybe_unused]] const detail::PhastLevel& level,
                       [[maybe_unused]] base::Cpu cpu) noexcept {
#if defined(__x86_64__)
  if (cpu >= base::Cpu::avx2 && avx2_phast_batch_takes(level)) {
    return cpu >= base::Cpu::avx512 ? avx512_phast_batch : avx2_phast_batch;
  }
#endif
  return portable_phast_batch;
}

std::size_t finish_phast_batch(const detail::PhastLevel& level,
                               std::span<const std::uint64_t> halves, std::size_t done,
                               std::uint64_t* ranks, std::uint16_t* bumped,
                               std::size_t count) noexcept {
  const std::size_t rest =
      portable_phast_batch(level, halves.subspan(done), ranks + done, bumped + count);
  for (std::size_t i = count; i < count + rest; ++i) {
    bumped[i] = static_cast<std::uint16_t>(bumped[i] + done);
  }
  return count + rest;
}

}  // namespace crivo::phast
