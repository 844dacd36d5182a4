#include "crivo/filter.hpp"

#include <algorithm>

#include "api/key_hash.hpp"
#include "api/kinds.hpp"
#include "api/lookup_blocks.hpp"
#include "filter/filter_file.hpp"

namespace crivo {

struct Filter::Impl {
  explicit Impl(file::Container opened) : container(std::move(opened)), filter(container) {}

  template <typename Key>
  Hash128 hash(const Key& key) const noexcept {
    return api::lookup_hash(container.header().key_hash, key, container.header().seed);
  }

  template <typename Key>
  void contains(std::span<const Key> keys, std::span<bool> answers) const noexcept {
    api::for_each_hashed_block(
        keys.first(std::min(keys.size(), answers.size())),
        [this](const Key& key) { return hash(key); },
        [&](std::span<const Hash128> hashes, std::size_t begin) {
          filter.membership->contains(hashes, answers.data() + begin);
        });
  }

  file::Container container;
  filter::FilterFile filter;
};

Filter::Filter(std::unique_ptr<const Impl> impl) noexcept
    : impl_(std::move(impl)),
      seed_(impl_->container.header().seed),
      has_usual_hash_(impl_->container.header().key_hash == file::KeyHash::xxh3_128) {}
Filter::~Filter() = default;
Filter::Filter(Filter&&) noexcept = default;
Filter& Filter::operator=(Filter&&) noexcept = default;

Filter Filter::open(const std::filesystem::path& path) {
  return Filter(std::make_unique<const Impl>(api::open_kind(path, file::Kind::filter)));
}

std::uint64_t Filter::size() const noexcept {
  return impl_->container.header().keys;
}
double Filter::fpr() const noexcept {
  return impl_->filter.membership->fpr();
}

Hash128 Filter::other_hash(std::string_view key) noexcept {
  return api::lookup_hash(file::KeyHash::xxh64, key, 0);
}
Hash128 Filter::other_hash(std::uint64_t key) noexcept {
  return api::lookup_hash(file::KeyHash::xxh64, key, 0);
}

bool Filter::contains(Hash128 hash) const noexcept {
  return impl_->filter.membership->contains(hash);
}

bool Filter::counts() const noexcept {
  return (impl_->filter.type->can & filter::kCounts) != 0;
}

std::uint64_t Filter::count(Hash128 hash) const noexcept {
  return impl_->filter.membership->count(hash);
}

void Filter::contains(std::span<const Hash128> hashes, std::span<bool> answers) const noexcept {
  impl_->filter.membership->contains(hashes.first(std::min(hashes.size(), answers.size())),
                                     answers.data());
}

void Filter::contains(std::span<const std::string_view> keys,
                      std::span<bool> answers) const noexcept {
  impl_->contains(keys, answers);
}
void Filter::contains(std::span<const std::span<const std::byte>> keys,
                      std::span<bool> answers) const noexcept {
  impl_->contains(keys, answers);
}
void Filter::contains(std::span<const std::uint64_t> keys, std::span<bool> answers) const noexcept {
  impl_->contains(keys, answers);
}

}  // namespace crivo
