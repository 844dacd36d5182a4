// SPDX-License-Identifier: Apache-2.0

#include "crivo/mphf.hpp"

#include <algorithm>
#include <concepts>

#include "base/as_error.hpp"
#include "lookup/check_file.hpp"
#include "lookup/describe.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/kinds.hpp"
#include "lookup/lookup_blocks.hpp"
#include "lookup/open_trusted.hpp"
#include "lookup/opened.hpp"
#include "lookup/rank_index.hpp"

namespace crivo {
struct Mphf::Impl {
  Impl(file::Container opened, const OpenOptions& options)
      : container(std::move(opened)),
        index(container),
        first_level(index.signatures.bits() == 0 ? index.function->first_level()
                                                 : detail::kBumpsAll) {
    index::check_if_asked(container, options);
  }

  template <typename Key>
  void lookup(std::span<const Key> keys, const HashFunction& function,
              std::span<std::uint64_t> ranks) const {
    detail::check_batch(keys.size(), ranks.size());
    if constexpr (!std::same_as<Key, KeyHash>) {
      if (first_level.buckets != 0 && detail::HashAccess::is_usual(function)) {
        index::for_each_half_block(
            keys, function, [&](std::span<const std::uint64_t> halves, std::size_t begin) {
              const index::KeysSecondHalves<Key> second(keys.subspan(begin), function);
              index.function->ranks_by_halves(halves, second, ranks.data() + begin);
            });
        return;
      }
    }
    index::for_each_hashed_block(keys, function,
                                 [&](std::span<const Hash128> hashes, std::size_t begin) {
                                   index.lookup(hashes, ranks.data() + begin);
                                 });
  }

  file::Container container;
  index::RankIndex index;
  /// The function's, if its ranks are the answers.
  const detail::PhastLevel& first_level;
};

Mphf::Mphf(std::unique_ptr<const Impl> impl)
    : level_(impl->first_level),
      hash_function_(index::hash_function(impl->container.header())),
      seed_(impl->container.header().seed.low),
      impl_(std::move(impl)) {
  hashes_by_level_ = level_.buckets != 0;
  keys_by_level_ = hashes_by_level_ && detail::HashAccess::is_usual(hash_function_);
}
Mphf::~Mphf() = default;
Mphf::Mphf(Mphf&&) noexcept = default;
Mphf& Mphf::operator=(Mphf&&) noexcept = default;

Mphf Mphf::open(const std::filesystem::path& path, const OpenOptions& options) try {
  return Mphf(
      std::make_unique<const Impl>(index::open_kind(path, file::Kind::mphf, options), options));
} catch (...) {
  base::rethrow_as_error();
}
Mphf Mphf::open(std::span<const std::byte> bytes, const OpenOptions& options) try {
  return Mphf(
      std::make_unique<const Impl>(index::open_kind(bytes, file::Kind::mphf, options), options));
} catch (...) {
  base::rethrow_as_error();
}

FileInfo Mphf::info() const try { return index::describe(impl_->container); } catch (...) {
  base::rethrow_as_error();
}
void Mphf::verify(const Resources& resources) const try {
  index::check_file(impl_->container, resources);
} catch (...) {
  base::rethrow_as_error();
}

std::uint64_t Mphf::size() const noexcept {
  return impl_->container.header().keys;
}
unsigned Mphf::signature_bits() const noexcept {
  return impl_->index.signatures.bits();
}

std::uint64_t Mphf::rank_of_hash(Hash128 hash) const noexcept {
  return hashes_by_level_ ? impl_->index.function->bumped_rank(hash) : impl_->index.lookup(hash);
}

template <typename Key>
std::uint64_t Mphf::rank_after_level(const Key& key) const noexcept {
  const Hash128 hash = detail::HashAccess::raw(hash_function_, key);
  return keys_by_level_ ? impl_->index.function->bumped_rank(hash) : impl_->index.lookup(hash);
}
std::uint64_t Mphf::rank_of_any(std::string_view key) const noexcept {
  return rank_after_level(key);
}
std::uint64_t Mphf::rank_of_any(std::uint64_t key) const noexcept {
  return rank_after_level(key);
}

void Mphf::lookup(std::span<const std::string_view> keys, std::span<std::uint64_t> ranks) const {
  impl_->lookup(keys, hash_function_, ranks);
}
void Mphf::lookup(std::span<const std::span<const std::byte>> keys,
                  std::span<std::uint64_t> ranks) const {
  impl_->lookup(keys, hash_function_, ranks);
}
void Mphf::lookup(std::span<const std::uint64_t> keys, std::span<std::uint64_t> ranks) const {
  impl_->lookup(keys, hash_function_, ranks);
}
void Mphf::lookup(std::span<const KeyHash> hashes, std::span<std::uint64_t> ranks) const {
  impl_->lookup(hashes, hash_function_, ranks);
}

}  // namespace crivo

namespace crivo::index {
namespace {

class OpenedMphf final : public OpenedRanks<Mphf> {
 public:
  using OpenedRanks::OpenedRanks;

  bool tells_absent() const noexcept override { return structure().signature_bits() != 0; }
};

}  // namespace

std::unique_ptr<OpenIndex> open_mphf(const std::filesystem::path& path,
                                     const OpenOptions& options) {
  return std::make_unique<OpenedMphf>("mphf", path, options);
}

}  // namespace crivo::index
