// SPDX-License-Identifier: Apache-2.0
/// Writing the values that structures/dictionary/values.hpp reads.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "base/scratch.hpp"
#include "base/sink.hpp"
#include "base/spool.hpp"
#include "structures/dictionary/values.hpp"

namespace crivo::dictionary {

/// Writes numbers in the order of their ids.
class ValueWriter {
 public:
  /// What memory has no room for goes to `scratch`, unless that is null.
  ValueWriter(unsigned block_keys, base::Scratch* scratch)
      : block_keys_(block_keys), heads_(scratch), packed_(scratch) {}

  void add(std::uint64_t value);
  /// The bytes of the section, if all was added.
  std::uint64_t bytes() const noexcept { return heads_.size() + packed_.size(); }
  /// Writes the section. Once, last.
  void finish(base::Sink& to);

 private:
  void close();

  unsigned block_keys_;
  std::vector<std::uint64_t> open_;  ///< of the block that is not full
  base::Spool heads_;
  base::Spool packed_;
};

}  // namespace crivo::dictionary
