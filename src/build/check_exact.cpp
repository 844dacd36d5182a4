// SPDX-License-Identifier: Apache-2.0
#include "build/check_answers.hpp"
#include "build/exact_check.hpp"
#include "lookup/chain_file.hpp"

namespace crivo::index {

std::uint64_t check_exact(const file::Container& container, const KeyInput& input,
                          const CheckOptions& options, const base::BuildContext& context) {
  return check_exact_set(container, input, options.group_delimiter, options.memory_bytes,
                         options.temp_dir, context);
}

std::uint64_t check_chain(const file::Container& container, const KeyInput& input,
                          const CheckOptions& options, const base::BuildContext& context) {
  const bool is_filter = exact::base_kind(container) == file::Kind::filter;
  return (is_filter ? check_filter : check_exact)(container, input, options, context);
}

}  // namespace crivo::index
