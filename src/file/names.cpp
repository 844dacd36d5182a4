// SPDX-License-Identifier: Apache-2.0
#include "file/names.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string_view>
#include <utility>

#include "crivo/error.hpp"
#include "file/content_id.hpp"

namespace crivo::file {
namespace {

constexpr std::size_t kDigits = 16;

constexpr std::size_t kHexDigits = 16;
constexpr std::string_view kSuffix = ".tmp";

std::string hex_of(std::uint64_t value) {
  std::array<char, kHexDigits + 1> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(value));
  return text.data();
}

/// The prefix of all temporary names of an output.
std::string prefix_of(const OutputTarget& target) {
  return ".crivo-" + hex_of(XXH3_64bits(target.name().data(), target.name().size())) + "-";
}

void remove_leftover(const OutputTarget& target, const std::string& name) {
  const Directory& parent = target.parent();
  const base::FileDescriptor left(
      ::openat(parent.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!left.is_open() || !lock_at_once(left.get()) || ::fstat(left.get(), &status) != 0) return;
  if (S_ISREG(status.st_mode)) {
    ::unlinkat(parent.get(), name.c_str(), 0);
  } else if (S_ISDIR(status.st_mode)) {
    remove_directory(parent, name, left.get(), target.members());
  }
}

}  // namespace

std::string generation_name(std::string_view family, const Digest& digest) {
  const std::size_t dot = std::min(family.find('.'), family.size());
  return std::string(family.substr(0, dot)) + "-" + to_hex(digest).substr(0, kDigits) +
         std::string(family.substr(dot));
}

std::string_view generation_of(std::string_view name) noexcept {
  const std::size_t dot = std::min(name.find('.'), name.size());
  if (dot < kDigits + 1 || name[dot - kDigits - 1] != '-') return {};
  const std::string_view digits(name.data() + dot - kDigits, kDigits);
  return digits.find_first_not_of("0123456789abcdef") == std::string_view::npos
             ? digits
             : std::string_view{};
}

std::string family_of(std::string_view name) {
  const std::string_view digits = generation_of(name);
  if (digits.empty()) return std::string(name);
  const auto begin = static_cast<std::size_t>(digits.data() - name.data());
  return std::string(name.substr(0, begin - 1)) + std::string(name.substr(begin + kDigits));
}

bool is_member(std::string_view name, const std::vector<std::string>& families) {
  return std::ranges::find(families, family_of(name)) != families.end();
}

bool lock_at_once(int fd) noexcept {
  int result = 0;
  do {
    result = ::flock(fd, LOCK_EX | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

std::string lock_name(const OutputTarget& target) {
  return prefix_of(target) + std::string(kHexDigits, '0') + std::string(kSuffix);
}

std::string temporary_name(const OutputTarget& target) {
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != static_cast<ssize_t>(sizeof random)) {
    base::throw_file_error(target.path().string(), "no random number for a name", errno);
  }
  return prefix_of(target) + hex_of(random) + std::string(kSuffix);
}

void remove_leftovers(const OutputTarget& target) {
  const std::string prefix = prefix_of(target);
  std::vector<std::string> names;
  try {
    names = target.parent().names();
  } catch (const Error&) {
    return;
  }
  for (const std::string& name : names) {
    if (name.size() == prefix.size() + kHexDigits + kSuffix.size() && name.starts_with(prefix) &&
        name.ends_with(kSuffix)) {
      remove_leftover(target, name);
    }
  }
}

int remove_directory(const Directory& parent, const std::string& name, int directory,
                     const std::vector<std::string>& members) noexcept {
  ::fchmod(directory, 0700);  // one that may not be written cannot be emptied either
  try {
    base::FileDescriptor again(::fcntl(directory, F_DUPFD_CLOEXEC, 0));
    const Directory removed(std::move(again), parent.path() / name);
    for (const std::string& member : removed.names()) {
      const auto status = removed.find(member);
      if (is_member(member, members) && status && S_ISREG(status->st_mode)) {
        ::unlinkat(directory, member.c_str(), 0);
      }
    }
  } catch (const std::exception&) {  // then it is not empty below
  }
  return ::unlinkat(parent.get(), name.c_str(), AT_REMOVEDIR) == 0 ? 0 : errno;
}

}  // namespace crivo::file
