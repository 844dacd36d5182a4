// SPDX-License-Identifier: Apache-2.0
#include "base/as_error.hpp"

#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "crivo/error.hpp"

namespace crivo::base {
namespace {

/// Made before there is none: a copy of it takes no memory.
const Error kOutOfMemory(ErrorKind::io, "out of memory");

}  // namespace

void rethrow_as_error() {
  try {
    try {
      throw;
    } catch (const std::filesystem::filesystem_error& error) {
      throw Error(ErrorKind::io, error.path1().string() + ": " + error.code().message(),
                  {.file = error.path1().string(), .system_error = error.code().value()});
    } catch (const std::system_error& error) {
      throw Error(ErrorKind::io, error.what(), {.system_error = error.code().value()});
    }
  } catch (const std::bad_alloc&) {
    throw kOutOfMemory;  // NOLINT(misc-throw-by-value-catch-by-reference): a copy is thrown
  } catch (const std::length_error&) {  // more than any memory has
    throw kOutOfMemory;                 // NOLINT(misc-throw-by-value-catch-by-reference)
  }
}

}  // namespace crivo::base

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
