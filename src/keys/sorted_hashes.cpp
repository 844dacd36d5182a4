#include "keys/sorted_hashes.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <string>
#include <utility>

#include "crivo/error.hpp"

namespace crivo::keys {

HashArray::HashArray(std::uint64_t size) : size_(size) {
  if (size == 0) return;
  void* memory = size > UINT64_MAX / sizeof(Hash128)
                     ? MAP_FAILED
                     : ::mmap(nullptr, size * sizeof(Hash128), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw Error(ErrorKind::io, "no memory for the hashes of " + std::to_string(size) + " keys");
  }
  ::madvise(memory, size * sizeof(Hash128), MADV_HUGEPAGE);
  data_ = static_cast<Hash128*>(memory);
}

HashArray::~HashArray() {
  if (data_ != nullptr) ::munmap(data_, size_ * sizeof(Hash128));
}

HashArray::HashArray(HashArray&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

HashArray& HashArray::operator=(HashArray&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
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
