#include "keys/sorted_hashes.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "crivo/error.hpp"
#include "util/bits.hpp"

namespace crivo::keys {

namespace {

/// Smaller sets than this would pay more for huge pages than they gain.
constexpr std::uint64_t kSmallPagesBytes = std::uint64_t{4} << 20;

[[noreturn]] void fail_memory(std::uint64_t size) {
  throw Error(ErrorKind::io, "no memory for the hashes of " + std::to_string(size) + " keys");
}

/// Twice the memory of the machine, but at most half of what the process may map.
std::uint64_t growing_bytes() {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE));
  std::uint64_t bytes = 2 * static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * page;
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    bytes = std::min<std::uint64_t>(bytes, limit.rlim_cur / 2);
  }
  return bytes / page * page;
}

}  // namespace

HashArray::HashArray(std::uint64_t size) {
  if (size == 0) return;
  if (size > UINT64_MAX / sizeof(Hash128)) fail_memory(size);
  void* memory = ::mmap(nullptr, size * sizeof(Hash128), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) fail_memory(size);
  ::madvise(memory, size * sizeof(Hash128), MADV_HUGEPAGE);
  data_ = static_cast<Hash128*>(memory);
  size_ = size;
  reserved_bytes_ = size * sizeof(Hash128);
}

HashArray HashArray::growing() {
  HashArray array;
  array.reserved_bytes_ = growing_bytes();
  // Address space alone, which no limit on memory counts, until grow() makes it usable.
  void* memory = ::mmap(nullptr, array.reserved_bytes_, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw Error(ErrorKind::io, "no address space for the hashes of the keys (see ulimit -v)");
  }
  if (array.reserved_bytes_ > kSmallPagesBytes) {
    ::madvise(static_cast<std::byte*>(memory) + kSmallPagesBytes,
              array.reserved_bytes_ - kSmallPagesBytes, MADV_HUGEPAGE);
  }
  array.data_ = static_cast<Hash128*>(memory);
  return array;
}

void HashArray::grow(std::uint64_t size) {
  if (size > reserved_bytes_ / sizeof(Hash128) ||
      ::mprotect(data_, size * sizeof(Hash128), PROT_READ | PROT_WRITE) != 0) {
    fail_memory(size);
  }
  size_ = size;
}

void HashArray::shrink(std::uint64_t size) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE));
  const std::uint64_t kept = util::align_up(size * sizeof(Hash128), page);
  if (kept < reserved_bytes_) {
    ::munmap(reinterpret_cast<std::byte*>(data_) + kept, reserved_bytes_ - kept);
  }
  reserved_bytes_ = kept;
  size_ = size;
  if (kept == 0) data_ = nullptr;
}

HashArray::~HashArray() {
  if (data_ != nullptr) ::munmap(data_, reserved_bytes_);
}

HashArray::HashArray(HashArray&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      reserved_bytes_(std::exchange(other.reserved_bytes_, 0)) {}

HashArray& HashArray::operator=(HashArray&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(reserved_bytes_, other.reserved_bytes_);
  return *this;
}

SortedHashes::SortedHashes(HashArray hashes, std::uint64_t size)
    : hashes_(std::move(hashes)), size_(size) {}

SortedHashes SortedHashes::from_unsorted(std::vector<Hash128> hashes) {
  std::ranges::sort(hashes);
  const auto repeats = std::ranges::unique(hashes);
  hashes.erase(repeats.begin(), repeats.end());
  HashArray array(hashes.size());
  std::ranges::copy(hashes, array.data());
  return {std::move(array), hashes.size()};
}

std::span<const Hash128> SortedHashes::partition(unsigned bits,
                                                 std::uint64_t index) const noexcept {
  const std::span<const Hash128> all(hashes_.data(), size_);
  if (bits == 0) return all;
  const auto before = [&](std::uint64_t prefix) {
    if (prefix >> bits != 0) return all.end();
    return std::ranges::lower_bound(all, Hash128{prefix << (64 - bits), 0});
  };
  return {before(index), before(index + 1)};
}

}  // namespace crivo::keys
