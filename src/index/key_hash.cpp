#include "index/key_hash.hpp"

#include <xxhash.h>

#include <array>
#include <string>

#include "crivo/error.hpp"
#include "crivo/keys.hpp"
#include "hashing/siphash.hpp"
#include "hashing/table_hashes.hpp"

namespace crivo::index {
namespace {

Hash128 xxh64_hash(std::string_view key, std::uint64_t seed) noexcept {
  return {xxh64(key), XXH3_64bits_withSeed(key.data(), key.size(), seed)};
}

}  // namespace

std::unique_ptr<const hashing::PreparedHash> prepared_hash(file::KeyHash hash, std::uint64_t seed) {
  switch (hash) {
    case file::KeyHash::universal:
      return std::make_unique<hashing::UniversalHash>(seed);
    case file::KeyHash::zobrist:
      return std::make_unique<hashing::ZobristHash>(seed);
    case file::KeyHash::jenkins:
      return std::make_unique<hashing::JenkinsHash>(seed);
    case file::KeyHash::xxh3:
    case file::KeyHash::xxh64:
    case file::KeyHash::siphash:
      break;
  }
  return nullptr;
}

hashing::HashFamily hash_family(file::KeyHash hash) {
  if (hash == file::KeyHash::xxh3) return static_cast<hashing::PlainHash>(hash_key);
  if (hash == file::KeyHash::xxh64) return xxh64_hash;
  if (hash == file::KeyHash::siphash) return siphash;
  return hashing::HashFamily([hash](std::uint64_t seed) { return prepared_hash(hash, seed); });
}

std::uint64_t max_key_bytes(file::KeyHash hash) noexcept {
  const bool has_table = hash == file::KeyHash::universal || hash == file::KeyHash::zobrist;
  return has_table ? hashing::kMaxTableKeyBytes : kMaxKeyBytes;
}

std::span<const std::string_view> key_hash_names() noexcept {
  static constexpr std::array<std::string_view, 4> kNames{"xxh3", "universal", "zobrist",
                                                          "jenkins"};
  return kNames;
}

std::string_view key_hash_name(file::KeyHash hash) noexcept {
  switch (hash) {
    case file::KeyHash::xxh3:
      return "xxh3";
    case file::KeyHash::xxh64:
      return "xxh64";
    case file::KeyHash::universal:
      return "universal";
    case file::KeyHash::zobrist:
      return "zobrist";
    case file::KeyHash::jenkins:
      return "jenkins";
    case file::KeyHash::siphash:
      return "siphash";
  }
  return {};
}

file::KeyHash find_key_hash(std::string_view name) {
  constexpr std::array kNamed{file::KeyHash::xxh3, file::KeyHash::universal, file::KeyHash::zobrist,
                              file::KeyHash::jenkins};
  std::string names;
  for (const file::KeyHash hash : kNamed) {
    if (key_hash_name(hash) == name) return hash;
    names += (names.empty() ? "" : ", ") + std::string(key_hash_name(hash));
  }
  throw Error(ErrorKind::usage,
              "unknown key hash '" + std::string(name) + "'; there are: " + names);
}

file::KeyHash built_hash(file::KeyHash own, const BuildOptions& options) {
  if (!options.keyed_hash) return own;
  if (file::stands_for(file::KeyHash::siphash, own)) return file::KeyHash::siphash;
  throw Error(
      ErrorKind::usage,
      "--seed random puts the key hash siphash in the place of xxh3, and there is none for " +
          std::string(key_hash_name(own)) +
          (own == file::KeyHash::xxh64
               ? ", which split-block-bloom filters have from Parquet, with a fixed seed"
               : ""));
}

Hash128 siphash(std::string_view key, std::uint64_t seed) noexcept {
  return hashing::siphash128(key, {seed, 0});
}

std::uint64_t xxh64(std::string_view key) noexcept {
  return XXH64(key.data(), key.size(), 0);
}

file::KeyHash key_hash_of(const MphfOptions& mphf, const mphf::Algorithm& algorithm) {
  const file::KeyHash hash = find_key_hash(mphf.hash);
  if (algorithm.of_seeds || (hash == file::KeyHash::xxh3 && !mphf.unbiased)) return hash;
  throw Error(ErrorKind::usage, "the algorithm '" + mphf.algorithm +
                                    "' takes no other key hash than xxh3, and no range: mwhc2, "
                                    "mwhc3, fch, bmz and bdz do");
}

}  // namespace crivo::index
