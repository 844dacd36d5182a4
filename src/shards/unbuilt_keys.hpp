// SPDX-License-Identifier: Apache-2.0
/// Shards of less than a partition each (formats/parts.md, "Unbuilt keys"). A structure's partition
/// is built at once, so where there are fewer of them than shards, a shard hands its keys on as
/// they are: those of an even share of the hashes' range. Who joins the parts builds of them.
#pragma once

#include <cstdint>
#include <memory>

#include "base/bytes.hpp"
#include "build/run.hpp"
#include "shards/part_set.hpp"
#include "shards/shard_keys.hpp"
#include "structures/build/signatures.hpp"

namespace crivo::index {

/// The hashes of shard I of N, where its keys are unbuilt: from ceil(I 2^64 / N) on.
HashRange unbuilt_range(const Share& shard) noexcept;

/// Calls use(keys) for the keys of a range, in order, some at a time, as they lie in a part: of
/// each hi, lo and, where keys have values, the value. Reports them to the phase at hand.
void for_each_unbuilt(const stream::HashSource& keys, const HashRange& range, bool with_values,
                      const base::BuildContext& context,
                      const std::function<void(base::Bytes keys)>& use);

/// The parts of a step, built of the unbuilt keys in the files of all shards.
class UnbuiltParts {
 public:
  /// Reads the keys of step `index`, in memory or a temporary file as the scratch says. Throws
  /// Error(corrupt) for what are not all keys of the recipe, once.
  UnbuiltParts(const Parts& parts, std::size_t index, const Recipe& recipe,
               const base::BuildContext& context);

  /// As PartSource's; parts are of no file.
  void for_each_part(std::size_t index, const Step& step, const PartSource::UsePart& use);
  void for_each_signatures(const mphf::Function& function, unsigned bits,
                           const mphf::AppendSignatures& append) {
    built_->for_each_signatures(function, bits, append);
  }

 private:
  template <typename HashedKey>
  void gather(const Parts& parts, std::size_t index, const Recipe& recipe);

  Progress silent_;  ///< it is the bytes of the files that are counted
  base::BuildContext context_;
  std::string name_;  ///< of the first part
  std::shared_ptr<const stream::HashSource> keys_;
  std::unique_ptr<BuiltParts> built_;
};

}  // namespace crivo::index
