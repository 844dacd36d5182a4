// SPDX-License-Identifier: Apache-2.0
/// Bytes as a command line, whose arguments NUL ends: something to do, or a usage error of one
/// line. What it asks for is not done.
#include <cstdlib>
#include <string>
#include <vector>

#include "crivo/error.hpp"
#include "program/program.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> arguments;
  std::string argument;
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] != 0) {
      argument += static_cast<char>(data[i]);
      continue;
    }
    arguments.push_back(std::move(argument));
    argument.clear();
  }
  try {
    if (!crivo::cli::parse(std::move(arguments))) std::abort();
  } catch (const crivo::Error& error) {
    if (error.kind() != crivo::ErrorKind::usage || *error.what() == '\0') std::abort();
  }
  return 0;
}
