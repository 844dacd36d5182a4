#include "api/key_hash.hpp"

#include <xxhash.h>

namespace crivo::api {
namespace {

Hash128 xxh64_hash(std::string_view key, std::uint64_t seed) noexcept {
  return {xxh64(key), XXH3_64bits_withSeed(key.data(), key.size(), seed)};
}

}  // namespace

keys::HashFunction hash_function(file::KeyHash hash) noexcept {
  return hash == file::KeyHash::xxh64 ? xxh64_hash : static_cast<keys::HashFunction>(hash_key);
}

std::uint64_t xxh64(std::string_view key) noexcept {
  return XXH64(key.data(), key.size(), 0);
}

}  // namespace crivo::api
