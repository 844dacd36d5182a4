// SPDX-License-Identifier: Apache-2.0
/// The parts of a recipe, built of keys.
#pragma once

#include "base/spool.hpp"
#include "builds/run.hpp"

namespace crivo::index {

class BuiltParts : public PartSource {
 public:
  /// `keys` and what the context refers to outlive this.
  BuiltParts(const Recipe& recipe, const stream::KeySource& keys,
             const base::BuildContext& context);

  void begin_phase(const char* phase, std::uint64_t keys) override;
  void for_each_part(std::size_t index, const Assembly& assembly, const UsePart& use) override;
  void build_whole(const Step& step, base::Sink& sink) override;
  void for_each_signatures(const mphf::Function& function, unsigned bits,
                           const mphf::AppendSignatures& append) override;

 protected:
  const stream::KeySource& keys() const noexcept { return keys_; }
  const base::BuildContext& context() const noexcept { return context_; }
  /// Shown each part of the first step, once it is joined; or told that there are none.
  virtual void see(const Part& /*part*/) {}
  virtual void see_whole() {}

 private:
  const stream::KeySource& keys_;
  base::BuildContext context_;
  base::Spool signatures_;  ///< of the parts, in order
  bool is_whole_ = false;   ///< the function was not made in parts
};

}  // namespace crivo::index
