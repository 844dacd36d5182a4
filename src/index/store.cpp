#include "crivo/store.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/as_error.hpp"
#include "base/parallel.hpp"
#include "index/check_file.hpp"
#include "index/describe.hpp"
#include "index/find_by_rank.hpp"
#include "index/key_hash.hpp"
#include "index/lookup_blocks.hpp"
#include "index/store_files.hpp"

namespace crivo {

struct Store::Impl {
  Impl(const std::filesystem::path& path, const OpenOptions& how)
      : directory(std::filesystem::absolute(path)),
        options(how),
        files(index::StoreFiles::open(path, file::loading(how.mode))),
        hash_function(index::hash_function(files.index.header())) {
    index::check_if_asked(files, how);
  }

  std::filesystem::path directory;
  OpenOptions options;
  index::StoreFiles files;
  HashFunction hash_function;
};

Store::Store(std::shared_ptr<const Impl> impl) noexcept : impl_(std::move(impl)) {}
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

Store Store::open(const std::filesystem::path& directory, const OpenOptions& options) try {
  return Store(std::make_shared<const Impl>(directory, options));
} catch (...) {
  base::rethrow_as_error();
}

bool Store::refresh() try {
  if (!impl_->files.is_replaced()) return false;
  impl_ = std::make_shared<const Impl>(impl_->directory, impl_->options);
  return true;
} catch (...) {
  base::rethrow_as_error();
}

FileInfo Store::info() const try { return index::describe(impl_->files); } catch (...) {
  base::rethrow_as_error();
}
void Store::verify(const Resources& resources) const try {
  index::check_file(impl_->files, resources);
} catch (...) {
  base::rethrow_as_error();
}

std::uint64_t Store::size() const noexcept {
  return impl_->files.index.header().keys;
}
std::uint64_t Store::seed() const noexcept {
  return impl_->files.index.header().seed;
}
const HashFunction& Store::hash_function() const noexcept {
  return impl_->hash_function;
}

namespace {

Store::Answer answer_of(const records::Lookup& found) noexcept {
  switch (found.outcome) {
    case records::Outcome::found:
      return {Store::Status::found, found.record};
    case records::Outcome::absent:
      return {Store::Status::absent, {}};
    case records::Outcome::damaged:
      break;
  }
  return {Store::Status::damaged, {}};
}

/// A key as the text that is stored with its record.
class KeyText {
 public:
  explicit KeyText(std::string_view key) noexcept : text_(key) {}
  explicit KeyText(std::span<const std::byte> key) noexcept : text_(base::as_text(key)) {}
  explicit KeyText(std::uint64_t key) noexcept : text_(bytes_.data(), bytes_.size()) {
    base::store_le(bytes_.data(), key);
  }
  KeyText(const KeyText&) = delete;
  KeyText& operator=(const KeyText&) = delete;

  std::string_view view() const noexcept { return text_; }

 private:
  std::array<char, 8> bytes_{};
  std::string_view text_;
};

}  // namespace

void Store::find_all(std::span<const std::string_view> keys, const Reader::Visit& visit,
                     unsigned threads) const try {
  index::find_by_rank(impl_->files, keys, base::thread_count(threads),
                      [&](std::size_t index, std::uint64_t, const records::Lookup& found) {
                        visit(index, answer_of(found));
                      });
} catch (...) {
  base::rethrow_as_error();
}

struct Store::Reader::Impl {
  explicit Impl(std::shared_ptr<const Store::Impl> opened)
      : store(std::move(opened)),
        files(store->files),
        hash_function(store->hash_function),
        records(files.environment) {}

  template <typename Key>
  Answer find(Key key) noexcept {
    return answer(key, files.ranks.lookup(detail::HashAccess::raw(hash_function, key)));
  }
  template <typename Key>
  Answer find(Key key, const KeyHash& hash) {
    return answer(key, files.ranks.lookup(detail::HashAccess::checked(hash_function, hash)));
  }

  /// The keys from `begin` on with these hashes.
  template <typename Key>
  void find_block(std::span<const Key> keys, std::size_t begin, std::span<const Hash128> hashes,
                  const Visit& visit) {
    std::array<std::uint64_t, index::kLookupBlock> ranks;
    files.ranks.lookup(hashes, ranks.data());
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      visit(begin + i, answer(keys[begin + i], ranks[i]));
    }
  }
  /// The keys; `hashed` are they, or their hashes.
  template <typename Key, typename Hashed>
  void find(std::span<const Key> keys, std::span<const Hashed> hashed, const Visit& visit) {
    index::for_each_hashed_block(hashed.first(std::min(keys.size(), hashed.size())), hash_function,
                                 [&](std::span<const Hash128> hashes, std::size_t begin) {
                                   find_block(keys, begin, hashes, visit);
                                 });
  }

  template <typename Key>
  Answer answer(Key key, std::uint64_t rank) noexcept {
    if (rank == index::RankIndex::kAbsent) return {Status::absent, {}};
    const KeyText text(key);
    return answer_of(records.find(rank, text.view()));
  }

  std::shared_ptr<const Store::Impl> store;
  const index::StoreFiles& files;
  const HashFunction& hash_function;
  records::EnvironmentReader records;
};

Store::Reader::Reader(const Store& store) try : impl_(std::make_unique<Impl>(store.impl_)) {
} catch (...) {
  base::rethrow_as_error();
}
Store::Reader::~Reader() = default;
Store::Reader::Reader(Reader&&) noexcept = default;
Store::Reader& Store::Reader::operator=(Reader&&) noexcept = default;

Store::Answer Store::Reader::find(std::string_view key) noexcept {
  return impl_->find(key);
}
Store::Answer Store::Reader::find(std::span<const std::byte> key) noexcept {
  return impl_->find(key);
}
Store::Answer Store::Reader::find_number(std::uint64_t key) noexcept {
  return impl_->find(key);
}

Store::Answer Store::Reader::find(std::string_view key, const KeyHash& hash) {
  return impl_->find(key, hash);
}
Store::Answer Store::Reader::find(std::span<const std::byte> key, const KeyHash& hash) {
  return impl_->find(key, hash);
}
Store::Answer Store::Reader::find_number(std::uint64_t key, const KeyHash& hash) {
  return impl_->find(key, hash);
}

void Store::Reader::find(std::span<const std::string_view> keys, const Visit& visit) {
  impl_->find(keys, keys, visit);
}
void Store::Reader::find(std::span<const std::span<const std::byte>> keys, const Visit& visit) {
  impl_->find(keys, keys, visit);
}
void Store::Reader::find(std::span<const std::uint64_t> keys, const Visit& visit) {
  impl_->find(keys, keys, visit);
}

void Store::Reader::find(std::span<const std::string_view> keys, std::span<const KeyHash> hashes,
                         const Visit& visit) {
  impl_->find(keys, hashes, visit);
}
void Store::Reader::find(std::span<const std::span<const std::byte>> keys,
                         std::span<const KeyHash> hashes, const Visit& visit) {
  impl_->find(keys, hashes, visit);
}
void Store::Reader::find(std::span<const std::uint64_t> keys, std::span<const KeyHash> hashes,
                         const Visit& visit) {
  impl_->find(keys, hashes, visit);
}

}  // namespace crivo
