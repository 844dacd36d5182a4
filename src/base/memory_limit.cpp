// SPDX-License-Identifier: Apache-2.0
#include "base/memory_limit.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/file_descriptor.hpp"

namespace crivo::base {
namespace {

namespace fs = std::filesystem;

/// Returns the text of a file of the kernel, nothing without the file. (A stream of the standard
/// library takes several times as long as the kernel does, which small builds feel.)
std::optional<std::string> text_in(const fs::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return std::nullopt;
  constexpr std::size_t kPieceBytes = 4096;
  std::string text;
  std::size_t size = 0;
  while (true) {
    text.resize(size + kPieceBytes);
    const ssize_t got = ::read(file.get(), text.data() + size, kPieceBytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

/// Cuts the first line off `text`; false where there is none left.
bool next_line(std::string_view& text, std::string_view& line) {
  if (text.empty()) return false;
  const std::size_t end = std::min(text.find('\n'), text.size());
  line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return true;
}

/// The number at the beginning of `text`; nothing where there is none that fits.
std::optional<std::uint64_t> number_at(std::string_view text) {
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc()) return std::nullopt;
  return number;
}

/// The number that a file of one number holds; nothing for "max", or without the file.
std::optional<std::uint64_t> number_in(const fs::path& path) {
  const std::optional<std::string> text = text_in(path);
  return text ? number_at(*text) : std::nullopt;
}

/// The numbers behind two names in a file of "name number" lines, or "name: number kB"; 0 of a name
/// that is not there.
std::array<std::uint64_t, 2> numbers_in(const fs::path& path,
                                        const std::array<std::string, 2>& names,
                                        std::uint64_t unit) {
  const std::optional<std::string> text = text_in(path);
  std::array<std::uint64_t, 2> numbers{};
  std::string_view lines = text ? std::string_view(*text) : std::string_view();
  for (std::string_view line; next_line(lines, line);) {
    const std::size_t end = line.find_first_of(": ");
    if (end == std::string_view::npos) continue;
    const auto* const name = std::ranges::find(names, line.substr(0, end));
    const std::size_t digits = line.find_first_of("0123456789", end);
    if (name != names.end() && digits != std::string_view::npos)
      numbers[static_cast<std::size_t>(name - names.begin())] =
          number_at(line.substr(digits)).value_or(0) * unit;
  }
  return numbers;
}

std::uint64_t left(std::uint64_t limit, std::uint64_t used) {
  return limit - std::min(limit, used);
}

void lower(AvailableMemory& least, std::uint64_t bytes, const std::string& limit) {
  if (bytes < least.bytes) least = {bytes, limit};
}

/// The names of a version's files.
struct CgroupFiles {
  const char* limit;
  const char* current;
  const char* swap_limit;
  const char* swap_current;
  const char* prefix;  ///< of the names in memory.stat, for all below the group
};
constexpr CgroupFiles kVersion2{"memory.max", "memory.current", "memory.swap.max",
                                "memory.swap.current", ""};
/// Its limit with swap includes memory, so that swap is left out: it is seldom set.
constexpr CgroupFiles kVersion1{"memory.limit_in_bytes", "memory.usage_in_bytes", "", "", "total_"};

/// Version 1 writes a little less than 2^63 for "max".
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 62;

void lower_by_group(AvailableMemory& least, const fs::path& group, const CgroupFiles& files,
                    std::uint64_t machine_swap) {
  const auto limit = number_in(group / files.limit);
  if (!limit || *limit >= kNoLimit) return;
  const std::uint64_t current = number_in(group / files.current).value_or(0);
  // Caches and swap only add to it. The kernel takes long to make memory.stat.
  if (left(*limit, current) >= least.bytes) return;
  const std::string prefix = files.prefix;
  const auto [inactive, active] =
      numbers_in(group / "memory.stat", {prefix + "inactive_file", prefix + "active_file"}, 1);
  const std::uint64_t used = left(current, inactive + active);
  std::uint64_t swap = machine_swap;
  if (*files.swap_limit != '\0') {
    if (const auto swap_limit = number_in(group / files.swap_limit)) {
      swap = std::min(swap, left(*swap_limit, number_in(group / files.swap_current).value_or(0)));
    }
  }
  const std::uint64_t bytes = left(*limit, used);
  lower(least, bytes + std::min(swap, UINT64_MAX - bytes), (group / files.limit).string());
}

/// The group that the process is in, and all above it. In a container the path is that of the host,
/// and what can be seen is the container's own group at the top.
void lower_by_groups(AvailableMemory& least, const fs::path& top, const fs::path& path,
                     const CgroupFiles& files, std::uint64_t machine_swap) {
  fs::path group = path.relative_path();
  while (true) {
    lower_by_group(least, group.empty() ? top : top / group, files, machine_swap);
    if (group.empty()) return;
    group = group.parent_path();
  }
}

void lower_by_address_space(AvailableMemory& least, const fs::path& root) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE));
  const std::uint64_t used = number_in(root / "proc/self/statm").value_or(0) * page;
  lower(least, left(limit.rlim_cur, used), "the limit on address space (ulimit -v)");
}

}  // namespace

AvailableMemory available_memory(const fs::path& root) {
  AvailableMemory least;
  const auto [swap, free] = numbers_in(root / "proc/meminfo", {"SwapFree", "MemAvailable"}, 1024);
  if (free != 0) lower(least, free + swap, "MemAvailable and SwapFree of the machine");

  // "number:controllers:path" lines
  const std::string groups = text_in(root / "proc/self/cgroup").value_or("");
  const fs::path mounted = root / "sys/fs/cgroup";
  std::string_view lines = groups;
  for (std::string_view line; next_line(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string controllers =
        "," + std::string(line.substr(first + 1, second - first - 1)) + ",";
    const fs::path path = line.substr(second + 1);
    if (controllers == ",,") {
      lower_by_groups(least, mounted, path, kVersion2, swap);
    } else if (controllers.find(",memory,") != std::string::npos) {
      lower_by_groups(least, mounted / "memory", path, kVersion1, swap);
    }
  }
  lower_by_address_space(least, root);
  return least;
}

AvailableMemory recently_available_memory() {
  using Clock = std::chrono::steady_clock;
  static std::mutex mutex;
  static AvailableMemory last;
  static Clock::time_point asked{};
  const std::scoped_lock lock(mutex);
  const Clock::time_point now = Clock::now();
  if (asked == Clock::time_point{} || now - asked > std::chrono::milliseconds(100)) {
    last = available_memory();
    asked = now;
  }
  return last;
}

void give_back_freed_memory() noexcept {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace crivo::base
