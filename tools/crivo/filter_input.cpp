// SPDX-License-Identifier: Apache-2.0
#include "crivo/filter_input.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "crivo/error.hpp"

namespace crivo::cli {
namespace {

constexpr const char* kStandardInput = "-";

[[noreturn]] void fail(const char* what) {
  throw Error(ErrorKind::io,
              std::string("(standard input): ") + what + ": " + std::strerror(errno));
}

/// Copies all of standard input.
void copy_standard_input(std::FILE* to) {
  std::array<char, 1 << 16> buffer;
  std::size_t size = buffer.size();
  while (size == buffer.size()) {
    size = std::fread(buffer.data(), 1, buffer.size(), stdin);
    if (std::fwrite(buffer.data(), 1, size, to) != size) fail("cannot copy");
  }
  if (std::ferror(stdin) != 0) fail("cannot read");
  if (std::fflush(to) != 0) fail("cannot copy");
}

}  // namespace

FilterInputs::FilterInputs(std::vector<std::string> filters, const std::vector<std::string>& others)
    : paths_(std::move(filters)) {
  const auto named = std::ranges::find(paths_, kStandardInput);
  if (named == paths_.end()) return;
  if (std::ranges::count(paths_, kStandardInput) + std::ranges::count(others, kStandardInput) > 1) {
    throw Error(ErrorKind::usage, "standard input (-) can be read only once");
  }
  copy_.reset(std::tmpfile());
  if (copy_ == nullptr) fail("cannot make a temporary file");
  copy_standard_input(copy_.get());
  *named = "/proc/self/fd/" + std::to_string(::fileno(copy_.get()));
}

}  // namespace crivo::cli
