// SPDX-License-Identifier: Apache-2.0
/// Writing the table of bumped keys that records/served/bumped_table.hpp reads.
#pragma once

#include <cstdint>

#include "base/progress.hpp"
#include "base/sink.hpp"
#include "records/served/bumped_table.hpp"
#include "stream/streamed_keys.hpp"

namespace crivo::records {

/// Sorts the bumped keys of a manifest that is being written, in the scratch.
class BumpedTableWriter {
 public:
  /// Takes n ranks, and about so many bumped keys.
  BumpedTableWriter(std::uint64_t n, std::uint64_t expected, base::Scratch* scratch);
  /// In any order; ranks are below n. Throws Error(io).
  void add(const BumpedTable::Place& bumped_key);
  /// Appends the table. Once, last. Throws Error(io).
  void finish(std::uint64_t part_ranks, const base::BuildContext& context, base::Sink& sink);

 private:
  std::uint64_t n_;
  unsigned shift_;  ///< brings a rank to the top of a hash
  base::Scratch* scratch_;
  stream::GatheredKeys<stream::HashedValue> sorted_;
};

}  // namespace crivo::records
