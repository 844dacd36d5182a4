// SPDX-License-Identifier: Apache-2.0
/// What a test says of errors.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "crivo/error.hpp"

namespace crivo::test {

/// The message of the Error of this kind that `work` throws; a failure if it throws none.
template <typename Work>
std::string error_of(ErrorKind kind, Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

}  // namespace crivo::test
