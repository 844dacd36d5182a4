// SPDX-License-Identifier: Apache-2.0
#include "program/filter_input.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
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

FilterInputs::Copy::Copy() : name_(std::filesystem::temp_directory_path() / "crivo-XXXXXX") {
  const int fd = ::mkostemp(name_.data(), O_CLOEXEC);
  if (fd < 0) fail("cannot make a temporary file");
  path_ = "/proc/self/fd/" + std::to_string(fd);
  if (::access(path_.c_str(), F_OK) == 0) {
    ::unlink(name_.c_str());
    name_.clear();
  } else {
    path_ = name_;
  }
  file_.reset(::fdopen(fd, "w"));
  if (file_ == nullptr) fail("cannot make a temporary file");
}

FilterInputs::Copy::~Copy() {
  if (!name_.empty()) ::unlink(name_.c_str());
}

FilterInputs::FilterInputs(std::vector<std::string> filters, const std::vector<std::string>& others)
    : paths_(std::move(filters)) {
  const auto named = std::ranges::find(paths_, kStandardInput);
  if (named == paths_.end()) return;
  if (std::ranges::count(paths_, kStandardInput) + std::ranges::count(others, kStandardInput) > 1) {
    throw Error(ErrorKind::usage, "standard input (-) can be read only once");
  }
  copy_standard_input(copy_.emplace().file());
  *named = copy_->path();
}

}  // namespace crivo::cli
