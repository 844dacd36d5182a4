// SPDX-License-Identifier: Apache-2.0
// The environment can forbid instructions of the processor.

#include "base/cpu.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "crivo/error.hpp"

namespace crivo::base {
namespace {

TEST(Cpu, IsNoneThatTheEnvironmentForbids) {
  ASSERT_EQ(setenv("CRIVO_CPU", "abacus", 1), 0);
  EXPECT_THROW(cpu(), Error);
  ASSERT_EQ(setenv("CRIVO_CPU", "portable", 1), 0);
  EXPECT_EQ(cpu(), Cpu::portable);
  ASSERT_EQ(setenv("CRIVO_CPU", "avx2", 1), 0);
  EXPECT_EQ(cpu(), Cpu::portable);  // read once
}

}  // namespace
}  // namespace crivo::base
