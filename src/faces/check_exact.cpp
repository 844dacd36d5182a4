// SPDX-License-Identifier: Apache-2.0
#include "builds/exact_check.hpp"
#include "faces/check_answers.hpp"

namespace crivo::index {

std::uint64_t check_exact(const file::Container& container, const KeyInput& input,
                          const CheckOptions& options, const base::BuildContext& context) {
  return check_exact_set(container, input, options.group_delimiter, options.memory_bytes,
                         options.temp_dir, context);
}

}  // namespace crivo::index
