// SPDX-License-Identifier: Apache-2.0
/// The parts of a recipe, in the files of the shards that made them.
#pragma once

#include <memory>

#include "build/run.hpp"
#include "shards/part_set.hpp"
#include "shards/unbuilt_keys.hpp"
#include "structures/build/signatures.hpp"

namespace crivo::index {

class FileParts final : public PartSource, public SignatureSource, public RecordParts {
 public:
  /// `parts`, and what the context refers to, outlive this. Throws Error(corrupt).
  FileParts(const Parts& parts, const Recipe& recipe, const base::BuildContext& context);

  void for_each_part(std::size_t index, const Step& step, const UsePart& use) override;
  void for_each_signatures(const mphf::Function& function, unsigned bits,
                           const mphf::AppendSignatures& append) override;

  Sources sources() noexcept { return {.parts = this, .signatures = this, .records = this}; }
  const records::RecordCoding& coding() const noexcept override { return coding_; }
  void collect_bumped(const WrittenFunction& function, records::BumpedRecords& bumped) override;
  std::uint64_t for_each_entry(const UseEntry& use) override;

 private:
  const Parts& parts_;
  const Recipe& recipe_;
  std::unique_ptr<UnbuiltParts>
      unbuilt_;  ///< of the step at hand, if its keys are, or the function
  std::uint64_t keys_;
  base::BuildContext context_;
  records::RecordCoding coding_;  ///< of a store
  std::uint64_t longest_raw_ = 0;
};

}  // namespace crivo::index
