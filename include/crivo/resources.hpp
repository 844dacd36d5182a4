// SPDX-License-Identifier: Apache-2.0
/// What a long call may take, and whom it tells how far it is.
#pragma once

#include <cstdint>
#include <filesystem>

#include "crivo/progress.hpp"

namespace crivo {

struct Resources {
  unsigned threads = 0;  ///< 0: one per core. What is written does not depend on it.
  /// The most memory to take, in bytes, give or take 64 MiB and four times the largest record; what
  /// does not fit goes to temp_dir. 0: three quarters of what the machine and its limits leave.
  /// What is written does not depend on it. Of builds alone.
  std::uint64_t memory = 0;
  std::filesystem::path temp_dir{};  ///< empty: $TMPDIR, or /tmp
  Progress* progress = nullptr;      ///< told how far the call is; may cancel it
};

}  // namespace crivo
