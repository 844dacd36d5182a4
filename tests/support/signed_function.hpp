// SPDX-License-Identifier: Apache-2.0
/// An MPHF and its signatures, as a build writes them.
#pragma once

#include <memory>
#include <stdexcept>

#include "base/spool.hpp"
#include "structures/build/mphf.hpp"
#include "structures/build/signatures.hpp"
#include "structures/signatures.hpp"

namespace crivo::test {

class SignedFunction {
 public:
  SignedFunction(const stream::HashSource& keys, const mphf::Builder& algorithm, unsigned bits,
                 const base::BuildContext& context, base::MemorySink& sink)
      : bits_(bits), context_(context), runs_(context.scratch) {
    assembly_ = algorithm.build(keys, {.contents = {.signature_bits = bits}}, context, sink,
                                [&](const Part& part) { runs_.append(part.signatures); });
    function = algorithm.algorithm().open(base::ByteView(sink.view()));
    if (assembly_ == nullptr) runs_.append(mphf::signatures_of_all(keys, *function, bits, context));
  }

  void write_signatures(base::Sink& sink) const {
    const mphf::BumpedKeys bumped = assembly_ ? assembly_->bumped() : mphf::BumpedKeys();
    mphf::write_signatures(*function, bits_, bumped, context_, sink, [&](const auto& append) {
      runs_.for_each([&](base::ByteView run) {
        if (!append(run)) throw std::logic_error("too many signatures");
      });
    });
  }

  std::unique_ptr<const mphf::Function> function;

 private:
  unsigned bits_;
  const base::BuildContext& context_;
  base::Spool runs_;
  std::unique_ptr<mphf::FunctionAssembly> assembly_;
};

}  // namespace crivo::test
