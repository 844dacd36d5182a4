// SPDX-License-Identifier: Apache-2.0
#include "input/sources.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/file_descriptor.hpp"

namespace crivo::input {

Sources::Sources(const KeyInput& input)
    : paths(input.paths), source(input.source), command(input.command) {
  if (!command.empty()) paths = {"(output of " + command + ")"};
}

bool Sources::can_be_read_again() const {
  return !command.empty() || regular_input_bytes(*this).has_value();
}

bool is_regular_file(const std::string& path) noexcept {
  struct stat status {};
  const int result = path == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status);
  return result == 0 && S_ISREG(status.st_mode);
}

std::optional<std::uint64_t> regular_input_bytes(const Sources& sources) {
  if (sources.source) {
    const auto size = sources.source->size();
    return size ? std::optional(sources.source->bytes(0, *size)) : std::nullopt;
  }
  if (!sources.command.empty()) return std::nullopt;
  std::uint64_t total = 0;
  for (const std::string& path : sources.paths) {
    // Not opened: that would take a reader from a named pipe.
    struct stat status {};
    const int result = path == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status);
    if (result != 0) {
      base::throw_file_error(path, "cannot open", errno);
    }
    if (!S_ISREG(status.st_mode)) return std::nullopt;
    total += static_cast<std::uint64_t>(status.st_size);
  }
  return total;
}

}  // namespace crivo::input
