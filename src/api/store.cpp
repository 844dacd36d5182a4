#include "crivo/store.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "api/lookup_blocks.hpp"
#include "api/store_files.hpp"

namespace crivo {

struct Store::Impl {
  explicit Impl(const std::filesystem::path& directory) : files(directory) {}

  api::StoreFiles files;
};

Store::Store(std::unique_ptr<const Impl> impl) noexcept : impl_(std::move(impl)) {}
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

Store Store::open(const std::filesystem::path& directory) {
  return Store(std::make_unique<const Impl>(directory));
}

std::uint64_t Store::size() const noexcept { return impl_->files.index.header().keys; }
std::uint64_t Store::seed() const noexcept { return impl_->files.index.header().seed; }

struct Store::Reader::Impl {
  explicit Impl(const api::StoreFiles& opened) : files(opened), records(opened.environment) {}

  Answer find(std::string_view key, std::uint64_t rank) noexcept {
    if (rank == mphf::RankIndex::kAbsent) return {Status::absent, {}};
    const store::Lookup found = records.find(rank, key);
    switch (found.outcome) {
      case store::Outcome::found: return {Status::found, found.record};
      case store::Outcome::absent: return {Status::absent, {}};
      case store::Outcome::damaged: break;
    }
    return {Status::damaged, {}};
  }

  const api::StoreFiles& files;
  store::EnvironmentReader records;
};

Store::Reader::Reader(const Store& store) : impl_(std::make_unique<Impl>(store.impl_->files)) {}
Store::Reader::~Reader() = default;
Store::Reader::Reader(Reader&&) noexcept = default;
Store::Reader& Store::Reader::operator=(Reader&&) noexcept = default;

Store::Answer Store::Reader::find(std::string_view key) noexcept {
  return find(key, hash_key(key, impl_->files.index.header().seed));
}

Store::Answer Store::Reader::find(std::string_view key, Hash128 hash) noexcept {
  return impl_->find(key, impl_->files.ranks.lookup(hash));
}

void Store::Reader::find(std::span<const std::string_view> keys,
                         const std::function<void(std::size_t, const Answer&)>& visit) {
  std::array<std::uint64_t, api::kLookupBlock> ranks;
  api::for_each_hashed_block(keys, impl_->files.index.header().seed,
                             [&](std::span<const Hash128> hashes, std::size_t begin) {
                               impl_->files.ranks.lookup(hashes, ranks.data());
                               for (std::size_t i = 0; i < hashes.size(); ++i) {
                                 visit(begin + i, impl_->find(keys[begin + i], ranks[i]));
                               }
                             });
}

}  // namespace crivo
