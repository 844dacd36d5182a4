// SPDX-License-Identifier: Apache-2.0
/// How much of the same a test looks at.
#pragma once

namespace crivo::test {

/// So many times fewer turns under sanitizers, which make each take ten times as long and find what
/// they find in fewer.
#ifdef CRIVO_SANITIZED
inline constexpr int kFewer = 5;
#else
inline constexpr int kFewer = 1;
#endif

}  // namespace crivo::test
