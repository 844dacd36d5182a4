// SPDX-License-Identifier: Apache-2.0
// The commit that the program was built from, which its results name.
#pragma once

namespace crivo::experiments {

/// As `git rev-parse --short=12` gives it, "and changes" after it where the tree had some,
/// "unknown" without git. The build writes the definition (write_commit), at every commit anew.
[[nodiscard]] const char* commit() noexcept;

}  // namespace crivo::experiments
