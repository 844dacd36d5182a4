// SPDX-License-Identifier: Apache-2.0
#include "base/cpu.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "crivo/error.hpp"

namespace crivo::base {
namespace {

Cpu supported() noexcept {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
      __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt")) {
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
      return Cpu::avx512;
    }
    return Cpu::avx2;
  }
#endif
  return Cpu::portable;
}

Cpu allowed() {
  const char* const value = std::getenv("CRIVO_CPU");
  if (value == nullptr || std::string_view(value) == "avx512") return Cpu::avx512;
  if (std::string_view(value) == "avx2") return Cpu::avx2;
  if (std::string_view(value) == "portable") return Cpu::portable;
  throw Error(ErrorKind::usage,
              "CRIVO_CPU is '" + std::string(value) + "'; it can be portable, avx2 or avx512");
}

}  // namespace

Cpu cpu() {
  static const Cpu kBest = std::min(supported(), allowed());
  return kBest;
}

}  // namespace crivo::base
