// SPDX-License-Identifier: Apache-2.0
#include "crivo/index.hpp"

#include "crivo/error.hpp"

namespace crivo {

OpenIndex::~OpenIndex() = default;

void OpenIndex::query(std::string_view name, std::span<const std::string> /*values*/,
                      const Visit& /*visit*/) {
  throw Error(ErrorKind::usage, name_ + ": is of the kind " + std::string(kind_) +
                                    ", which takes no --" + std::string(name));
}

void OpenIndex::for_each(
    const std::function<void(std::string_view, const std::string_view*)>& /*visit*/) const {
  throw Error(ErrorKind::usage,
              name_ + ": is of the kind " + std::string(kind_) + ", which holds no keys to dump");
}

}  // namespace crivo
