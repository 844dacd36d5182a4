// SPDX-License-Identifier: Apache-2.0
/// A fault of the input at a known place, before it has become a message.
#pragma once

#include <string>

#include "crivo/error.hpp"
#include "input/chunk_reader.hpp"

namespace crivo::input {

/// Thrown by the threads that read input. Several may meet a fault at once; the pipeline reports
/// the first in the order of the input, with its line.
class InputFault : public Error {
 public:
  InputFault(const Place& place, const std::string& problem, const std::string& remedy = {})
      : Error(ErrorKind::bad_input, problem, {.remedy = remedy}), place_(place) {}

  const Place& place() const noexcept { return place_; }
  const std::string& remedy() const noexcept { return Error::place().remedy; }

 private:
  Place place_;
};

}  // namespace crivo::input
