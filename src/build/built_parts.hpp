// SPDX-License-Identifier: Apache-2.0
/// The parts of a recipe, built of keys.
#pragma once

#include <variant>

#include "base/spool.hpp"
#include "build/part_log.hpp"
#include "build/run.hpp"
#include "crivo/build/shards.hpp"
#include "structures/build/signatures.hpp"

namespace crivo::index {

class BuiltParts : public PartSource, public WholeSource, public SignatureSource {
 public:
  /// The parts of a shard, or all. `keys`, what the context refers to and the log outlive this.
  /// Parts that are in the log, if there is one, are not built again; the others are added.
  BuiltParts(const Recipe& recipe, const stream::HashSource& keys,
             const base::BuildContext& context, const Share& shard = {0, 1},
             PartLog* log = nullptr);

  void begin_phase(const Step& step) override;
  void for_each_part(std::size_t index, const Step& step, const UsePart& use) override;
  void build_whole(const StepOfAll& step, base::Sink& sink) override;
  void for_each_signatures(const mphf::Function& function, unsigned bits,
                           const mphf::AppendSignatures& append) override;
  Sources sources() noexcept { return {.parts = this, .whole = this, .signatures = this}; }

 protected:
  const stream::HashSource& keys() const noexcept { return keys_; }
  const base::BuildContext& context() const noexcept { return context_; }
  /// Is shown each part, once it is in use: keeps its signatures for for_each_signatures().
  virtual void note_part(const Part& part) { signatures_.append(part.signatures); }
  /// Is told that there are no parts.
  virtual void note_whole() {}

 private:
  const stream::HashSource& keys_of(const Step& step) const noexcept {
    const auto* const parts = std::get_if<StepInParts>(&step.form);
    return parts != nullptr && parts->keys != nullptr ? *parts->keys : keys_;
  }

  const stream::HashSource& keys_;
  base::BuildContext context_;
  Share shard_;
  PartLog* log_;
  base::Spool signatures_;  ///< of the parts, in order
  bool is_whole_ = false;   ///< the function was not made in parts
};

}  // namespace crivo::index
