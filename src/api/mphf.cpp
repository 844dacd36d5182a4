#include "crivo/mphf.hpp"

#include <algorithm>
#include <array>

#include "api/key_hash.hpp"
#include "api/kinds.hpp"
#include "api/lookup_blocks.hpp"
#include "mphf/rank_index.hpp"

namespace crivo {

struct Mphf::Impl {
  explicit Impl(file::Container opened)
      : container(std::move(opened)),
        prepared(api::prepared_hash(container.header().key_hash, container.header().seed)),
        index(container),
        first_level(index.signatures.bits() == 0 ? index.function->first_level()
                                                 : detail::kBumpsAll) {}

  /// Under the key hash of the file; the common one is called without a question a key.
  template <typename Key>
  void lookup(const Mphf& mphf, std::span<const Key> keys,
              std::span<std::uint64_t> ranks) const noexcept {
    keys = keys.first(std::min(keys.size(), ranks.size()));
    const auto resolve = [&](std::span<const Hash128> hashes, std::size_t begin) {
      index.lookup(hashes, ranks.data() + begin);
    };
    if (prepared == nullptr) {
      api::for_each_hashed_block(keys, container.header().seed, resolve);
    } else {
      api::for_each_hashed_block(
          keys, [&](const Key& key) { return mphf.hash(key); }, resolve);
    }
  }

  file::Container container;
  std::unique_ptr<const keys::KeyHash> prepared;  ///< null: hash_key()
  mphf::RankIndex index;
  /// The function's, if its ranks are the answers.
  const detail::PhastLevel& first_level;
};

Mphf::Mphf(std::unique_ptr<const Impl> impl) noexcept
    : level_(&impl->first_level),
      seed_(impl->container.header().seed),
      prepared_(impl->prepared.get()),
      impl_(std::move(impl)) {}
Mphf::~Mphf() = default;
Mphf::Mphf(Mphf&&) noexcept = default;
Mphf& Mphf::operator=(Mphf&&) noexcept = default;

Mphf Mphf::open(const std::filesystem::path& path) {
  return Mphf(std::make_unique<const Impl>(api::open_kind(path, file::Kind::mphf)));
}

std::uint64_t Mphf::size() const noexcept {
  return impl_->container.header().keys;
}
unsigned Mphf::signature_bits() const noexcept {
  return impl_->index.signatures.bits();
}

std::uint64_t Mphf::lookup_bumped(Hash128 hash) const noexcept {
  return level_->buckets != 0 ? impl_->index.function->bumped_rank(hash)
                              : impl_->index.lookup(hash);
}

Hash128 Mphf::prepared_hash(std::string_view key) const noexcept {
  return (*prepared_)(key);
}

Hash128 Mphf::prepared_hash(std::uint64_t key) const noexcept {
  std::array<char, sizeof key> bytes{};
  file::store_le(bytes.data(), key);
  return (*prepared_)(std::string_view(bytes.data(), bytes.size()));
}

void Mphf::lookup(std::span<const Hash128> hashes, std::span<std::uint64_t> ranks) const noexcept {
  impl_->index.lookup(hashes.first(std::min(hashes.size(), ranks.size())), ranks.data());
}

void Mphf::lookup(std::span<const std::string_view> keys,
                  std::span<std::uint64_t> ranks) const noexcept {
  impl_->lookup(*this, keys, ranks);
}
void Mphf::lookup(std::span<const std::span<const std::byte>> keys,
                  std::span<std::uint64_t> ranks) const noexcept {
  impl_->lookup(*this, keys, ranks);
}
void Mphf::lookup(std::span<const std::uint64_t> keys,
                  std::span<std::uint64_t> ranks) const noexcept {
  impl_->lookup(*this, keys, ranks);
}

}  // namespace crivo
