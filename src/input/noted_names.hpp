// SPDX-License-Identifier: Apache-2.0
/// The names that stand beside an input's keys: of the files of rows, or of groups.
#pragma once

#include <string>

#include "base/bytes.hpp"

namespace crivo::input {

/// Names that another process can take over, which goes on with the input.
class NotedNames {
 public:
  NotedNames() = default;
  virtual ~NotedNames() = default;
  NotedNames(const NotedNames&) = delete;
  NotedNames& operator=(const NotedNames&) = delete;

  /// What was read so far, when no chunk is being read; at least a byte.
  virtual base::Bytes noted() const = 0;
  /// Takes over what another noted. Throws Error(corrupt) where it does not fit, and Error(usage)
  /// where that was asked for other things; both begin with `name`.
  virtual void go_on_from(base::ByteView noted, const std::string& name) = 0;
};

}  // namespace crivo::input
