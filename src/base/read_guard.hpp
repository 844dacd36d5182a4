// SPDX-License-Identifier: Apache-2.0
/// Pages of mapped files can be unreadable, because the disk is bad or the file was cut short: the
/// system says so by SIGBUS. The guard (crivo::guard_reads()) puts zeros in such a page's place,
/// and tells the checks of the bytes: then no answer is given out of these any more. (A cut inside
/// of a page leaves zeros without a signal: no guard sees that.)
#pragma once

#include "base/bytes.hpp"

namespace crivo::base {

class PageChecks;

/// Bytes that are guarded as long as this is there, whether or not there is a guard yet.
class GuardedBytes {
 public:
  /// Without `checks`, all that is read of `bytes` is checked whenever it is read.
  explicit GuardedBytes(ByteView bytes, const PageChecks* checks = nullptr);
  ~GuardedBytes();
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

 private:
  struct Range;
  friend struct ReadGuard;
  Range* range_;
};

}  // namespace crivo::base
