// SPDX-License-Identifier: Apache-2.0
#include "lookup/chain_file.hpp"
#include "lookup/opened.hpp"

namespace crivo::index {

std::unique_ptr<OpenIndex> open_chain(const std::filesystem::path& path,
                                      const OpenOptions& options) {
  const auto chain = file::Container::open(path, file::Loading::mapped);
  const bool is_filter = exact::base_kind(chain) == file::Kind::filter;
  return is_filter ? open_filter(path, options) : open_exact(path, options);
}

}  // namespace crivo::index
