// SPDX-License-Identifier: Apache-2.0
#include "crivo/store.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <functional>
#include <string>
#include <utility>

#include "base/as_error.hpp"
#include "base/parallel.hpp"
#include "lookup/check_file.hpp"
#include "lookup/describe.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/lookup_blocks.hpp"
#include "lookup/open_trusted.hpp"
#include "lookup/store_files.hpp"
#include "lookup/store_impl.hpp"

namespace crivo {

Store::Store(std::shared_ptr<const Impl> impl) noexcept : impl_(std::move(impl)) {}
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

Store Store::open(const std::filesystem::path& path, const OpenOptions& options) try {
  return Store(std::make_shared<const Impl>(path, options));
} catch (...) {
  base::rethrow_as_error();
}

bool Store::refresh() {
  std::optional<Store> next = newer();
  if (!next) return false;
  *this = std::move(*next);
  return true;
}

std::optional<Store> Store::newer() const try {
  if (impl_->files->is_replaced()) {
    return Store(std::make_shared<const Impl>(impl_->path, impl_->options));
  }
  if (impl_->files->last_update() != impl_->last_update) {
    return Store(std::make_shared<const Impl>(*impl_));
  }
  return std::nullopt;
} catch (...) {
  base::rethrow_as_error();
}

FileInfo Store::info() const try { return index::describe(*impl_->files); } catch (...) {
  base::rethrow_as_error();
}
void Store::verify(const Resources& resources) const try {
  index::check_file(*impl_->files, resources);
} catch (...) {
  base::rethrow_as_error();
}

std::uint64_t Store::size() const noexcept {
  return impl_->size;
}
std::uint64_t Store::seed() const noexcept {
  return impl_->files->index.header().seed;
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

/// The answer, unless it is "absent" because of damaged bytes: a record that was found is that of
/// the key, whatever led there. The text's hash is that of the key it was made of.
Store::Answer unless_damaged(const Store::Answer& answer, const index::StoreFiles& files,
                             const HashFunction& function, std::string_view key) noexcept {
  if (answer.status != Store::Status::absent || !index::rests_on_damage(files, function, key))
      [[likely]]
    return answer;
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
  index::find_by_rank(*impl_->files, keys, base::thread_count(threads),
                      [&](std::size_t index, const records::Lookup& found) {
                        visit(index, unless_damaged(answer_of(found), *impl_->files,
                                                    impl_->hash_function, keys[index]));
                      });
} catch (...) {
  base::rethrow_as_error();
}

void Store::for_each(
    const std::function<void(std::string_view key, std::string_view record)>& visit) const try {
  if (is_ordered()) return impl_->visit_in_order(visit);
  Progress progress;
  impl_->files->records()->verify(
      {1, progress},
      [&](std::uint64_t, std::string_view key, std::string_view record) { visit(key, record); });
} catch (...) {
  base::rethrow_as_error();
}

struct Store::Reader::Impl {
  explicit Impl(const std::shared_ptr<const Store::Impl>& opened)
      : Impl(opened, opened->files->records()) {}
  /// Another way to the same.
  Impl(const Impl& other) : Impl(other.store, other.as_committed) {}
  Impl(std::shared_ptr<const Store::Impl> opened,
       std::shared_ptr<const records::RecordFile> of_one_commit)
      : store(std::move(opened)),
        files(*store->files),
        hash_function(store->hash_function),
        as_committed(std::move(of_one_commit)),
        records(as_committed->reader()),
        has_added(as_committed->has_added()),
        in_order(files.ranks.in_order.get()),
        level(finds_by_halves() ? files.ranks.by_hash->function->first_level() : detail::kBumpsAll),
        pages(files.index.page_checks()) {}

  /// Whether ranks follow from hashes that the store itself makes, without signatures.
  bool finds_by_halves() const noexcept {
    return in_order == nullptr && files.ranks.by_hash->signatures.bits() == 0 &&
           detail::HashAccess::is_usual(hash_function);
  }

  template <typename Key>
  Answer find(Key key) noexcept {
    using detail::HashAccess;
    if (level.buckets != 0) {  // most keys' ranks follow from the first half of the hash
      const std::uint64_t half = HashAccess::first_half(hash_function, key);
      const std::uint64_t place = level.seed_place(half);
      pages.touch(level.seeds + place / 8, sizeof(std::uint32_t));
      const std::uint32_t seed = level.seed(place);
      if (seed != 0) {
        const KeyText text(key);
        return settled(records->find(level.value(half, seed), half, text.view()), text.view(),
                       [&] { return HashAccess::raw(hash_function, key); });
      }
    }
    if (in_order != nullptr) return answer_in_order(KeyText(key).view());
    return answer(key, HashAccess::raw(hash_function, key));
  }
  template <typename Key>
  Answer find(Key key, const KeyHash& hash) {
    return answer(key, detail::HashAccess::checked(hash_function, hash));
  }

  template <typename Key>
  Answer answer(Key key, Hash128 hash) noexcept {
    const KeyText text(key);
    if (in_order != nullptr) return answer_in_order(text.view());
    const std::uint64_t rank = files.ranks.by_hash->lookup(hash);
    records::Lookup found;
    if (rank != index::RankIndex::kAbsent) found = records->find(rank, hash.hi, text.view());
    return settled(found, text.view(), [&] { return hash; });
  }

  /// The answer where the build's index led to `found`: the key, whose hash hash_of() is, may have
  /// been added since.
  template <typename HashOf>
  Answer settled(records::Lookup found, std::string_view key, const HashOf& hash_of) noexcept {
    if (found.outcome == records::Outcome::absent && has_added)
      found = records->find_added(hash_of(), key);
    return unless_damaged(answer_of(found), files, hash_function, key);
  }

  Answer answer_in_order(std::string_view key) noexcept {
    const std::uint64_t rank = files.ranks.rank_of(key);
    records::Lookup found;
    if (rank != index::RankIndex::kAbsent) found = records->read(rank, key);
    return settled(found, key, [&] { return detail::HashAccess::raw(hash_function, key); });
  }

  /// The keys; `hashed` are they, or their hashes.
  template <typename Key, typename Hashed>
  void find(std::span<const Key> keys, std::span<const Hashed> hashed, const Visit& visit) {
    detail::check_batch(keys.size(), hashed.size());
    if constexpr (!std::same_as<Hashed, KeyHash>) {
      if (in_order != nullptr) {  // by their texts
        constexpr std::array<std::uint64_t, index::kLookupBlock> kNoHalves{};
        for (std::size_t begin = 0; begin < keys.size(); begin += kNoHalves.size()) {
          const std::size_t some = std::min(kNoHalves.size(), keys.size() - begin);
          visit_block(keys, begin, std::span(kNoHalves).first(some), visit);
        }
        return;
      }
      if (finds_by_halves() && files.ranks.by_hash->function->size() != 0) {
        index::for_each_half_block(
            hashed, hash_function, [&](std::span<const std::uint64_t> halves, std::size_t begin) {
              const index::KeysSecondHalves<Key> second(keys.subspan(begin), hash_function);
              files.ranks.by_hash->function->ranks_by_halves(halves, second, ranks.data());
              visit_block(keys, begin, halves, visit);
            });
        return;
      }
    }
    index::for_each_hashed_block(
        hashed, hash_function, [&](std::span<const Hash128> hashes, std::size_t begin) {
          if (in_order == nullptr) files.ranks.by_hash->lookup(hashes, ranks.data());
          std::array<std::uint64_t, index::kLookupBlock> halves;
          for (std::size_t i = 0; i < hashes.size(); ++i) halves[i] = hashes[i].hi;
          visit_block(keys, begin, std::span(halves).first(hashes.size()), visit);
        });
  }

  /// The keys from `begin` on, whose hashes have these first halves, and whose ranks are there, but
  /// in an ordered store.
  template <typename Key>
  void visit_block(std::span<const Key> keys, std::size_t begin,
                   std::span<const std::uint64_t> halves, const Visit& visit) {
    std::array<std::string_view, index::kLookupBlock> texts;
    for (std::size_t i = 0; i < halves.size(); ++i) {
      if constexpr (std::same_as<Key, std::uint64_t>) {
        base::store_le(numbers.data() + 8 * i, keys[begin + i]);
        texts[i] = {numbers.data() + 8 * i, 8};
      } else {
        texts[i] = KeyText(keys[begin + i]).view();
      }
    }
    if (in_order != nullptr)
      files.ranks.ranks_of(std::span(texts).first(halves.size()),
                           std::span(ranks).first(halves.size()));
    const auto tell = [&](std::size_t i, const records::Lookup& found) {
      visit(begin + i, settled(found, texts[i], [&] {
              return detail::HashAccess::raw(hash_function, keys[begin + i]);
            }));
    };
    // By reference: what it has of this call is more than a function holds without an allocation.
    records->find(std::span(ranks).first(halves.size()), halves,
                  std::span(texts).first(halves.size()), std::cref(tell));
  }

  std::shared_ptr<const Store::Impl> store;
  const index::StoreFiles& files;
  const HashFunction& hash_function;
  std::shared_ptr<const records::RecordFile> as_committed;  ///< when the first copy was made
  std::unique_ptr<records::RecordReader> records;
  bool has_added;                      ///< to the keys of the build
  const dictionary::Reader* in_order;  ///< of an ordered store; else null
  const detail::PhastLevel& level;     ///< where its ranks are the answers
  base::Pages pages;
  std::array<std::uint64_t, index::kLookupBlock> ranks;  ///< of a batch's block
  std::array<char, 8 * index::kLookupBlock> numbers;     ///< its keys, where they are numbers
};

Store::Reader::Reader(const Store& store) try : impl_(std::make_unique<Impl>(store.impl_)) {
} catch (...) {
  base::rethrow_as_error();
}
Store::Reader::Reader(const Reader& other) try : impl_(std::make_unique<Impl>(*other.impl_)) {
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

Store::Answer Store::Reader::find(const Key& key) noexcept {
  return impl_->answer(key.text(), detail::HashAccess::bits(key.hash(impl_->hash_function)));
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
