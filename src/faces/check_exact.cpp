// SPDX-License-Identifier: Apache-2.0
#include "builds/exact_check.hpp"
#include "faces/check_answers.hpp"
#include "faces/describe_kinds.hpp"
#include "opening/exact_file.hpp"

namespace crivo::index {

void describe_exact(const file::Container& container, FileInfo& info) {
  const exact::ExactFile exact(container);
  info.algorithm = built_as(info, "crivo.algorithm", "ribbon");
  info.fpr = exact.set->outside_rate();
  exact.set->describe(info.parameters);
}

std::uint64_t check_exact(const file::Container& container, const KeyInput& input,
                          const CheckOptions& options, const base::BuildContext& context) {
  return check_exact_set(container, input, options.group_delimiter, options.memory_bytes,
                         options.temp_dir, context);
}

}  // namespace crivo::index
