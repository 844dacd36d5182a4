// SPDX-License-Identifier: Apache-2.0
#include "crivo/error.hpp"

#include <utility>

namespace crivo {

Error::Error(ErrorKind kind, const std::string& message, ErrorPlace place)
    : std::runtime_error(message),
      kind_(kind),
      place_(std::make_shared<const ErrorPlace>(std::move(place))) {}
Error::~Error() = default;

const ErrorPlace& Error::place() const noexcept {
  static const ErrorPlace kNowhere;
  return place_ ? *place_ : kNowhere;
}

}  // namespace crivo
