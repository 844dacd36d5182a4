// SPDX-License-Identifier: Apache-2.0
#include "crivo/exact.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/as_error.hpp"
#include "base/page_checks.hpp"
#include "lookup/chain_file.hpp"
#include "lookup/check_file.hpp"
#include "lookup/classed_lookups.hpp"
#include "lookup/describe.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/kinds.hpp"
#include "lookup/lookup_blocks.hpp"
#include "lookup/open_trusted.hpp"

namespace crivo {

struct Exact::Impl {
  /// A group's class, below 0 where none is known, and the place of its flips.
  struct Known {
    int kind = -1;
    std::uint32_t place = exact::FlipTable::kNone;

    exact::Answering answering() const noexcept { return {static_cast<exact::Class>(kind), place}; }
  };

  Impl(file::Container opened, const OpenOptions& options)
      : file(std::move(opened), options),
        layers(file.linked()),
        set(layers.set()),
        hash_function(index::hash_function(layers.base().header())) {
    index::check_if_asked(file.own(), options);
    if (!grouped()) all = of_number(0);
  }

  bool grouped() const noexcept { return set.set().totals().grouped; }

  /// Returns the answer for a key of a group by its hash there.
  ExactAnswer find(const Known& known, const Hash128& hash) const noexcept {
    if (known.kind < 0) return outside();
    const bool is_member = set.contains(known.answering(), hash);
    return set.is_damaged(known.answering(), hash) ? ExactAnswer::damaged : answer(is_member);
  }
  /// The answer of a group that is not found; the names of groups were checked at open.
  ExactAnswer outside() const noexcept {
    const base::PageChecks* const checks = set.set().pages().checks();
    return checks != nullptr && checks->is_lost() ? ExactAnswer::damaged : ExactAnswer::outside;
  }
  static ExactAnswer answer(bool is_member) noexcept {
    return is_member ? ExactAnswer::member : ExactAnswer::other;
  }

  Known of_number(std::uint64_t number) const noexcept {
    const exact::Answering known = set.answering(number);
    return {static_cast<int>(known.kind), known.place};
  }
  /// The hash of a group's name, and what is known of its keys.
  std::pair<Hash128, Known> of_group(std::string_view name) const noexcept {
    const Hash128 hash = hashing::group_hash(detail::HashAccess::raw(hash_function, name));
    const auto number = set.number_of(hash.hi);
    return {hash, number ? of_number(*number) : Known{}};
  }
  detail::ExactLookup lookup(const Known& known) const noexcept {
    if (known.kind >= 0) return set.lookup(known.answering());
    detail::ExactLookup none{.rule = {}, .flips = {}, .damage = &set.set().pages().damage()};
    none.rule.refused = static_cast<std::uint8_t>(ExactAnswer::outside);
    return none;
  }

  /// The answers for keys of the group whose name has the hash `group`, if there is one.
  template <typename Key>
  void find_all(const Known& known, std::span<const Key> keys, std::span<ExactAnswer> answers,
                const Hash128* group = nullptr) const {
    detail::check_batch(keys.size(), answers.size());
    if (known.kind < 0) {
      std::ranges::fill(answers, outside());
      return;
    }
    const auto whole = [&](std::size_t i) {
      const Hash128 hash = detail::HashAccess::raw(hash_function, keys[i]);
      return group == nullptr ? hash : hashing::in_group(*group, hash);
    };
    const exact::Answering by = known.answering();
    const detail::FlipBits flips = set.flips().bits_of(by.place);
    std::array<bool, exact::ExactSet::kAtOnce> members;
    std::array<Hash128, exact::ExactSet::kAtOnce> turned;
    std::array<std::uint16_t, exact::ExactSet::kAtOnce> rest;
    const auto resolve = [&](std::span<const Hash128> block, std::size_t begin) {
      if (group != nullptr) {
        std::ranges::transform(block, turned.begin(), [group](const Hash128& hash) {
          return hashing::in_group(*group, hash);
        });
        block = std::span<const Hash128>(turned).first(block.size());
      }
      const base::DamageWatch watch(set.set().pages().checks());
      const std::size_t left = set.set().settle(by.kind, block, members.data(), rest.data());
      for (std::size_t i = 0; i < left; ++i)
        members[rest[i]] = set.set().by_bit(whole(begin + rest[i]));
      for (std::size_t i = 0; flips.words != nullptr && i < block.size(); ++i) {
        if (flips.may_flip(block[i].hi))
          members[i] = members[i] != set.flips().is_odd(by.place, whole(begin + i));
      }
      for (std::size_t i = 0; i < block.size(); ++i) answers[begin + i] = answer(members[i]);
      for (std::size_t i = 0; watch.has_seen() && i < block.size(); ++i)
        answers[begin + i] = find(known, whole(begin + i));
    };
    index::for_each_hashed_block(keys, hash_function, resolve, index::Halves::first);
  }

  /// The same of keys that each have a group of their own.
  void find_all(std::span<const std::string_view> groups, std::span<const std::string_view> keys,
                std::span<ExactAnswer> answers) const;

  exact::LayeredFile file;
  const exact::LinkedSet& layers;
  const exact::LayeredSet& set;
  HashFunction hash_function;
  Known all{};  ///< in a set without groups
};

namespace {

static_assert(exact::ExactSet::kAtOnce == index::kLookupBlock);

/// The groups that a batch named last. Names of one group are mostly the same bytes in memory,
/// which stay as they are for the time of a call: so they are known again by where they stand.
template <typename Known>
class RecentNames {
 public:
  struct Entry {
    std::size_t size = 0;
    Known known{};
    Hash128 hash;
  };

  /// `find` makes the entry of a name that is not known again.
  template <typename Find>
  const Entry& operator()(std::string_view name, Find&& find) {
    const auto address = reinterpret_cast<std::uintptr_t>(name.data());
    const std::size_t place = (address * 0x9e3779b97f4a7c15U) >> (64 - kPlaceBits);
    Entry& entry = entries_[place];
    if (at_[place] != name.data() || entry.size != name.size() || name.empty()) [[unlikely]] {
      at_[place] = name.data();
      entry = find(name);
    }
    return entry;
  }

 private:
  static constexpr unsigned kPlaceBits = 8;

  std::array<const char*, std::size_t{1} << kPlaceBits> at_{};
  std::array<Entry, std::size_t{1} << kPlaceBits> entries_;
};

}  // namespace

void Exact::Impl::find_all(std::span<const std::string_view> groups,
                           std::span<const std::string_view> keys,
                           std::span<ExactAnswer> answers) const {
  using Named = RecentNames<Known>;
  Named named;
  const auto find_named = [&](std::string_view name) -> typename Named::Entry {
    const auto [hash, known] = of_group(name);
    return {name.size(), known, hash};
  };
  const auto whole = [&](std::size_t i) {
    return hashing::in_group(named(groups[i], find_named).hash,
                             detail::HashAccess::raw(hash_function, keys[i]));
  };
  exact::ClassedLookups lookups(set.set(), reinterpret_cast<std::uint8_t*>(answers.data()),
                                [&](std::size_t i, bool flipped) {
                                  answers[i] = answer(set.set().by_bit(whole(i)) != flipped);
                                });
  const base::DamageWatch watch(set.set().pages().checks());
  const auto find_by_half = [&](auto&& half_of) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i + index::kKeysAhead < keys.size()) index::prefetch_key(keys[i + index::kKeysAhead]);
      const auto& group = named(groups[i], find_named);
      if (group.known.kind < 0) [[unlikely]] {
        answers[i] = ExactAnswer::outside;
        continue;
      }
      const std::uint64_t hi = detail::half_in_group(group.hash.hi, half_of(keys[i]));
      const exact::Answering by = group.known.answering();
      const bool flipped =
          set.flips().bits_of(by.place).may_flip(hi) && set.flips().is_odd(by.place, whole(i));
      lookups.add(by.kind, hi, i, flipped);
    }
  };
  if (detail::HashAccess::is_usual(hash_function)) {
    find_by_half(
        [&](std::string_view key) { return detail::HashAccess::first_half(hash_function, key); });
  } else {
    find_by_half(
        [&](std::string_view key) { return detail::HashAccess::raw(hash_function, key).hi; });
  }
  lookups.finish();
  for (std::size_t i = 0; watch.has_seen() && i < keys.size(); ++i)
    answers[i] = find(named(groups[i], find_named).known, whole(i));
}

std::string_view name_of(ExactAnswer answer) noexcept {
  constexpr std::array<std::string_view, 4> kNames{"other", "member", "outside", "damaged"};
  return kNames[static_cast<std::size_t>(answer)];
}

Exact::Exact(std::unique_ptr<const Impl> impl)
    : hash_function_(impl->hash_function),
      lookup_(impl->lookup(impl->all)),
      impl_(std::move(impl)) {}
Exact::~Exact() = default;
Exact::Exact(Exact&&) noexcept = default;
Exact& Exact::operator=(Exact&&) noexcept = default;

Exact Exact::open(const std::filesystem::path& path, const OpenOptions& options) try {
  return Exact(
      std::make_unique<const Impl>(exact::open_layered(path, file::Kind::exact, options), options));
} catch (...) {
  base::rethrow_as_error();
}
Exact Exact::open(std::span<const std::byte> bytes, const OpenOptions& options) try {
  return Exact(
      std::make_unique<const Impl>(index::open_kind(bytes, file::Kind::exact, options), options));
} catch (...) {
  base::rethrow_as_error();
}

FileInfo Exact::info() const try {
  return index::describe(impl_->file.own(), impl_->file.links());
} catch (...) {
  base::rethrow_as_error();
}
void Exact::verify(const Resources& resources) const try {
  index::check_file(impl_->file.own(), resources);
} catch (...) {
  base::rethrow_as_error();
}

std::uint64_t Exact::size() const noexcept {
  return impl_->layers.members();
}
std::uint64_t Exact::universe_size() const noexcept {
  return impl_->layers.universe();
}
bool Exact::grouped() const noexcept {
  return impl_->grouped();
}
std::uint64_t Exact::groups() const noexcept {
  return grouped() ? impl_->set.groups() : 0;
}
double Exact::outside_rate() const noexcept {
  return impl_->set.set().outside_rate();
}
const std::vector<Coverage>& Exact::covers() const noexcept {
  return impl_->layers.covers();
}
bool Exact::covers(const Epoch& epoch) const noexcept {
  const auto includes = [&](const Coverage& covered) {
    return covered.name == epoch.name && covered.low <= epoch.value && epoch.value <= covered.high;
  };
  return covers().empty() || std::ranges::any_of(covers(), includes);
}
std::uint64_t Exact::seed() const noexcept {
  return impl_->layers.base().header().seed;
}

ExactAnswer Exact::find_whole(std::string_view key) const noexcept {
  return impl_->find(impl_->all, detail::HashAccess::raw(hash_function_, key));
}
ExactAnswer Exact::find_whole(std::span<const std::byte> key) const noexcept {
  return impl_->find(impl_->all, detail::HashAccess::raw(hash_function_, key));
}
ExactAnswer Exact::find_whole(std::uint64_t key) const noexcept {
  return impl_->find(impl_->all, detail::HashAccess::raw(hash_function_, key));
}
ExactAnswer Exact::contains(const KeyHash& hash) const {
  return impl_->find(impl_->all, detail::HashAccess::checked(hash_function_, hash));
}
ExactAnswer Exact::contains(std::string_view group, std::string_view key) const noexcept {
  return this->group(group).contains(key);
}

void Exact::contains(std::span<const std::string_view> keys, std::span<ExactAnswer> answers) const {
  impl_->find_all(impl_->all, keys, answers);
}
void Exact::contains(std::span<const std::uint64_t> keys, std::span<ExactAnswer> answers) const {
  impl_->find_all(impl_->all, keys, answers);
}
void Exact::contains(std::span<const std::string_view> groups,
                     std::span<const std::string_view> keys, std::span<ExactAnswer> answers) const {
  detail::check_batch(groups.size(), keys.size());
  detail::check_batch(keys.size(), answers.size());
  if (!grouped()) return contains(keys, answers);
  impl_->find_all(groups, keys, answers);
}

Exact::Group Exact::group(std::string_view name) const noexcept {
  if (!grouped()) return {*this, lookup_, impl_->all.kind, impl_->all.place};
  const auto [hash, known] = impl_->of_group(name);
  Group group(*this, impl_->lookup(known), known.kind, known.place);
  group.hash_ = hash;
  group.is_turned_ = detail::HashAccess::is_usual(hash_function_);
  return group;
}

ExactAnswer Exact::Group::find_whole(std::string_view key) const noexcept {
  if (!set_->grouped()) return set_->contains(key);
  const Hash128 hash = detail::HashAccess::raw(set_->hash_function_, key);
  return set_->impl_->find(Impl::Known{kind_, place_}, hashing::in_group(hash_, hash));
}
ExactAnswer Exact::Group::find_whole(std::uint64_t key) const noexcept {
  if (!set_->grouped()) return set_->contains(key);
  const Hash128 hash = detail::HashAccess::raw(set_->hash_function_, key);
  return set_->impl_->find(Impl::Known{kind_, place_}, hashing::in_group(hash_, hash));
}
ExactAnswer Exact::Group::contains(const KeyHash& hash) const {
  if (!set_->grouped()) return set_->contains(hash);
  const Hash128& bits = detail::HashAccess::checked(set_->hash_function_, hash);
  return set_->impl_->find(Impl::Known{kind_, place_}, hashing::in_group(hash_, bits));
}
void Exact::Group::contains(std::span<const std::string_view> keys,
                            std::span<ExactAnswer> answers) const {
  if (!set_->grouped()) return set_->contains(keys, answers);
  set_->impl_->find_all(Impl::Known{kind_, place_}, keys, answers, &hash_);
}

void Exact::Group::contains(std::span<const std::uint64_t> keys,
                            std::span<ExactAnswer> answers) const {
  if (!set_->grouped()) return set_->contains(keys, answers);
  set_->impl_->find_all(Impl::Known{kind_, place_}, keys, answers, &hash_);
}

}  // namespace crivo
