// SPDX-License-Identifier: Apache-2.0
/// How much memory the process can still have.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace crivo::base {

struct AvailableMemory {
  std::uint64_t bytes = UINT64_MAX;
  std::string limit;  ///< what says so, for a message; empty where nothing does
};

/// The least of what is left of: the limits of the process's cgroup and of those above it (version
/// 2: memory.max; version 1: memory.limit_in_bytes), where page cache that can be dropped is not
/// in use, and swap that may be used counts; MemAvailable and SwapFree of the machine; RLIMIT_AS.
/// `root` is where proc and sys are, for tests. What cannot be read is no limit.
AvailableMemory available_memory(const std::filesystem::path& root = "/");

/// available_memory() as it was a tenth of a second ago at most: what the kernel says of it takes
/// longer than the build of some hundred keys. From any thread.
AvailableMemory recently_available_memory();

/// Has the allocator give back to the system what was freed, as far as it can: after a phase that
/// took much for a short time.
void give_back_freed_memory() noexcept;

}  // namespace crivo::base
