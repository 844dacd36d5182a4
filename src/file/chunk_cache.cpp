// SPDX-License-Identifier: Apache-2.0
#include "file/chunk_cache.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>

#include "base/arithmetic.hpp"
#include "crivo/error.hpp"
#include "file/directory.hpp"
#include "file/layout.hpp"

namespace crivo::file {
namespace {

constexpr std::uint64_t kWays = 8;
constexpr std::uint64_t kMostCacheBytes = std::uint64_t{1}
                                          << 60;  // what a file's length has room for
/// Of a place: 8 bytes of the hash, those behind what chooses the eight; the length; the time of
/// use in seconds since 1970, which begins anew in 2106.
constexpr std::uint64_t kPlaceBytes = 16;
/// A use is noted again after so long.
constexpr std::uint32_t kNotedSeconds = 60;
constexpr const char* kPlacesPrefix = "crivo-places-";
constexpr const char* kSlotsPrefix = "crivo-chunks-";

std::uint32_t now() noexcept {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::seconds>(since).count());
}

std::uint64_t tag_of(const Digest& hash) noexcept {
  return base::load_le<std::uint64_t>(hash.data() + sizeof(std::uint64_t));
}

base::FileDescriptor open_sized(const std::filesystem::path& path, std::uint64_t bytes) {
  base::FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.is_open()) base::throw_file_error(path.string(), "cannot be opened", errno);
  if (file.size() != bytes && ::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0)
    base::throw_file_error(path.string(), "cannot be made as long as the cache", errno);
  return file;
}

/// Removes the files of caches of other sizes. Those that go on with them keep them until they end.
void remove_others(const std::filesystem::path& folder, const std::string& size) try {
  for (const std::string& name : Directory(folder).names()) {
    std::error_code ignored;
    for (const std::string prefix : {kPlacesPrefix, kSlotsPrefix})
      if (name.starts_with(prefix) && name != prefix + size)
        std::filesystem::remove(folder / name, ignored);
  }
} catch (const Error&) {  // a folder that may not be read: what is left over takes space, no more
}

}  // namespace

/// The eight places of a hash, as they are on disk.
struct ChunkCache::Places {
  std::array<std::byte, kWays * kPlaceBytes> bytes{};

  std::byte* of(std::uint64_t way) noexcept { return bytes.data() + way * kPlaceBytes; }
  std::uint64_t tag(std::uint64_t way) noexcept { return base::load_le<std::uint64_t>(of(way)); }
  std::uint32_t length(std::uint64_t way) noexcept {
    return base::load_le<std::uint32_t>(of(way) + 8);
  }
  std::uint32_t used(std::uint64_t way) noexcept {
    return base::load_le<std::uint32_t>(of(way) + 12);
  }
  void set(std::uint64_t way, std::uint64_t tag, std::uint32_t length,
           std::uint32_t used) noexcept {
    base::store_le(of(way), tag);
    base::store_le(of(way) + 8, length);
    base::store_le(of(way) + 12, used);
  }
  std::span<const std::byte> place(std::uint64_t way) noexcept { return {of(way), kPlaceBytes}; }
};

ChunkCache::ChunkCache(const std::filesystem::path& folder, std::uint64_t bytes)
    : sets_(
          std::max<std::uint64_t>(1, layout::chunks_of(std::min(bytes, kMostCacheBytes)) / kWays)) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) base::throw_file_error(folder.string(), "cannot be made", problem.value());
  const std::uint64_t slots = sets_ * kWays;
  const std::string size = std::to_string(slots);
  remove_others(folder, size);
  places_ = open_sized(folder / (kPlacesPrefix + size), slots * kPlaceBytes);
  slots_ = open_sized(folder / (kSlotsPrefix + size), slots * layout::kChunkBytes);
}

std::uint64_t ChunkCache::first_place(const Digest& hash) const noexcept {
  return base::load_le<std::uint64_t>(hash.data()) % sets_ * kWays;
}

bool ChunkCache::read(const Digest& hash, std::span<std::byte> into) noexcept try {
  const std::uint64_t first = first_place(hash);
  Places places;
  if (!places_.read_at(first * kPlaceBytes, places.bytes)) return false;
  for (std::uint64_t way = 0; way < kWays; ++way) {
    if (places.tag(way) != tag_of(hash) || places.length(way) != into.size()) continue;
    if (!slots_.read_at((first + way) * layout::kChunkBytes, into)) return false;
    if (now() - places.used(way) > kNotedSeconds) {
      places.set(way, tag_of(hash), places.length(way), now());
      places_.write_at((first + way) * kPlaceBytes, places.place(way));
    }
    return true;
  }
  return false;
} catch (...) {
  return false;  // a cache that cannot be read is one that has nothing
}

void ChunkCache::keep(const Digest& hash, base::ByteView bytes) noexcept try {
  const std::uint64_t first = first_place(hash);
  Places places;
  if (!places_.read_at(first * kPlaceBytes, places.bytes)) return;
  // Of those that were used in one second, another one for each hash. A time that is yet to come,
  // which damage wrote, was the longest ago.
  const std::uint32_t time = now();
  std::uint64_t chosen = tag_of(hash) % kWays;
  for (std::uint64_t way = 0; way < kWays; ++way)
    if (time - places.used(way) > time - places.used(chosen)) chosen = way;
  for (std::uint64_t way = 0; way < kWays; ++way)
    if (places.tag(way) == tag_of(hash)) chosen = way;
  slots_.write_at((first + chosen) * layout::kChunkBytes, bytes);
  places.set(chosen, tag_of(hash), static_cast<std::uint32_t>(bytes.size()), time);
  places_.write_at((first + chosen) * kPlaceBytes, places.place(chosen));
} catch (...) {
  // A full disk, say: the bytes are fetched again next time.
}

}  // namespace crivo::file
