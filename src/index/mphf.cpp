#include "crivo/mphf.hpp"

#include <algorithm>

#include "base/as_error.hpp"
#include "index/key_hash.hpp"
#include "index/kinds.hpp"
#include "index/lookup_blocks.hpp"
#include "index/rank_index.hpp"

namespace crivo {

struct Mphf::Impl {
  explicit Impl(file::Container opened)
      : container(std::move(opened)),
        index(container),
        first_level(index.signatures.bits() == 0 ? index.function->first_level()
                                                 : detail::kBumpsAll) {}

  template <typename Key>
  void lookup(std::span<const Key> keys, const HashFunction& function,
              std::span<std::uint64_t> ranks) const {
    index::for_each_hashed_block(keys.first(std::min(keys.size(), ranks.size())), function,
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
      seed_(impl->container.header().seed),
      impl_(std::move(impl)) {}
Mphf::~Mphf() = default;
Mphf::Mphf(Mphf&&) noexcept = default;
Mphf& Mphf::operator=(Mphf&&) noexcept = default;

Mphf Mphf::open(const std::filesystem::path& path, const OpenOptions& options) try {
  return Mphf(std::make_unique<const Impl>(
      index::open_kind(path, file::Kind::mphf, file::loading(options.mode))));
} catch (...) {
  base::rethrow_as_error();
}

std::uint64_t Mphf::size() const noexcept {
  return impl_->container.header().keys;
}
unsigned Mphf::signature_bits() const noexcept {
  return impl_->index.signatures.bits();
}

std::uint64_t Mphf::bumped_rank(Hash128 hash) const noexcept {
  return level_.buckets != 0 ? impl_->index.function->bumped_rank(hash) : impl_->index.lookup(hash);
}

std::uint64_t Mphf::rank_of_number(std::uint64_t key) const noexcept {
  return rank(raw(key));
}

void Mphf::lookup(std::span<const std::string_view> keys,
                  std::span<std::uint64_t> ranks) const noexcept {
  impl_->lookup(keys, hash_function_, ranks);
}
void Mphf::lookup(std::span<const std::span<const std::byte>> keys,
                  std::span<std::uint64_t> ranks) const noexcept {
  impl_->lookup(keys, hash_function_, ranks);
}
void Mphf::lookup(std::span<const std::uint64_t> keys,
                  std::span<std::uint64_t> ranks) const noexcept {
  impl_->lookup(keys, hash_function_, ranks);
}
void Mphf::lookup(std::span<const KeyHash> hashes, std::span<std::uint64_t> ranks) const {
  impl_->lookup(hashes, hash_function_, ranks);
}

}  // namespace crivo
