// SPDX-License-Identifier: Apache-2.0
#include "crivo/exact.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "base/as_error.hpp"
#include "opening/chain_file.hpp"
#include "opening/check_file.hpp"
#include "opening/describe.hpp"
#include "opening/key_hash.hpp"
#include "opening/kinds.hpp"
#include "opening/lookup_blocks.hpp"
#include "opening/open_trusted.hpp"

namespace crivo {

struct Exact::Impl {
  /// What is known of a group: a class, below 0 where none is, and the place of its flips.
  struct Of {
    int kind = -1;
    std::uint32_t place = exact::FlipTable::kNone;

    exact::Answering answering() const noexcept { return {static_cast<exact::Class>(kind), place}; }
  };

  Impl(file::Container opened, const OpenOptions& options)
      : file(std::move(opened), options),
        layers(file.layers()),
        set(layers.set()),
        hash_function(index::hash_function(layers.base().header())) {
    index::check_if_asked(file.own(), options);
    if (!grouped()) all = of_number(0);
  }

  bool grouped() const noexcept { return set.set().totals().grouped; }

  /// What is known of a key of a group; `turn` makes of the key's hash that in its group.
  template <typename Key, typename Turn>
  [[gnu::always_inline]] ExactAnswer find(const Of& of, const Key& key,
                                          Turn&& turn) const noexcept {
    if (of.kind < 0) return ExactAnswer::outside;
    if (!detail::HashAccess::is_usual(hash_function))
      return find_hash(of, turn(detail::HashAccess::raw(hash_function, key)));
    const exact::Answering known = of.answering();
    const std::uint64_t half = detail::HashAccess::first_half(hash_function, key);
    const std::uint64_t hi = turn(Hash128{half, 0}).hi;
    const bool may_flip = set.flips().may_flip(known.place, hi);
    const auto settled = set.set().by_first_half(known.kind, hi);
    if (settled && !may_flip) return answer(*settled);  // most need no second half
    const Hash128 hash = turn(detail::HashAccess::raw(hash_function, key));
    const bool is_member = settled ? *settled : set.set().by_bit(hash);
    return answer(is_member != (may_flip && set.flips().is_odd(known.place, hash)));
  }
  /// The same of a hash in the group.
  ExactAnswer find_hash(const Of& of, const Hash128& hash) const noexcept {
    if (of.kind < 0) return ExactAnswer::outside;
    return answer(set.contains(of.answering(), hash));
  }
  static ExactAnswer answer(bool is_member) noexcept {
    return is_member ? ExactAnswer::member : ExactAnswer::other;
  }

  Of of_number(std::uint64_t number) const noexcept {
    const exact::Answering known = set.answering(number);
    return {static_cast<int>(known.kind), known.place};
  }
  Of of_group(const Hash128& group) const noexcept {
    const auto number = set.number_of(group.hi);
    return number ? of_number(*number) : Of{};
  }

  template <typename Key, typename Turn>
  void find_all(const Of& of, std::span<const Key> keys, std::span<ExactAnswer> answers,
                Turn&& turn) const {
    detail::check_batch(keys.size(), answers.size());
    if (of.kind < 0) {
      std::ranges::fill(answers, ExactAnswer::outside);
      return;
    }
    std::array<bool, index::kLookupBlock> members;
    std::array<Hash128, index::kLookupBlock> turned;
    index::for_each_hashed_block(
        keys, hash_function, [&](std::span<const Hash128> hashes, std::size_t begin) {
          std::ranges::transform(hashes, turned.begin(), turn);
          set.contains(of.answering(), std::span<const Hash128>(turned).first(hashes.size()),
                       members.data());
          for (std::size_t i = 0; i < hashes.size(); ++i) answers[begin + i] = answer(members[i]);
        });
  }

  /// The same of keys that each have a group of their own.
  void find_all(std::span<const std::string_view> groups, std::span<const std::string_view> keys,
                std::span<ExactAnswer> answers) const {
    std::array<Of, index::kLookupBlock> of;
    std::array<exact::Class, index::kLookupBlock> kinds;
    std::array<Hash128, index::kLookupBlock> turned;
    std::array<bool, index::kLookupBlock> members;
    index::for_each_hashed_block(
        keys, hash_function, [&](std::span<const Hash128> hashes, std::size_t begin) {
          Hash128 group;
          for (std::size_t i = 0; i < hashes.size(); ++i) {
            if (i == 0 || groups[begin + i] != groups[begin + i - 1]) {
              group = detail::HashAccess::raw(hash_function, groups[begin + i]);
              of[i] = of_group(group);
            } else {
              of[i] = of[i - 1];
            }
            kinds[i] = of[i].kind < 0 ? exact::Class::none : of[i].answering().kind;
            turned[i] = hashing::in_group(group, hashes[i]);
          }
          const auto block = std::span<const Hash128>(turned).first(hashes.size());
          set.set().contains(std::span<const exact::Class>(kinds).first(hashes.size()), block,
                             members.data());
          for (std::size_t i = 0; i < hashes.size(); ++i) {
            const bool flipped = set.flips().is_flipped(of[i].place, block[i]);
            answers[begin + i] =
                of[i].kind < 0 ? ExactAnswer::outside : answer(members[i] != flipped);
          }
        });
  }

  exact::LayeredFile file;
  const exact::LinkedSet& layers;
  const exact::LayeredSet& set;
  HashFunction hash_function;
  Of all{};  ///< in a set without groups
};

namespace {

constexpr auto kAlone = [](const Hash128& hash) noexcept { return hash; };

/// Of keys in a group whose name has that hash.
auto within(const Hash128& group) noexcept {
  return [group](const Hash128& hash) noexcept { return hashing::in_group(group, hash); };
}

}  // namespace

std::string_view name_of(ExactAnswer answer) noexcept {
  constexpr std::array<std::string_view, 3> kNames{"other", "member", "outside"};
  return kNames[static_cast<std::size_t>(answer)];
}

Exact::Exact(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
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

FileInfo Exact::info() const try { return index::describe(impl_->file.own()); } catch (...) {
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
const HashFunction& Exact::hash_function() const noexcept {
  return impl_->hash_function;
}

ExactAnswer Exact::contains(std::string_view key) const noexcept {
  return impl_->find(impl_->all, key, kAlone);
}
ExactAnswer Exact::contains(std::span<const std::byte> key) const noexcept {
  return impl_->find(impl_->all, key, kAlone);
}
ExactAnswer Exact::contains_number(std::uint64_t key) const noexcept {
  return impl_->find(impl_->all, key, kAlone);
}
ExactAnswer Exact::contains(const KeyHash& hash) const {
  return impl_->find_hash(impl_->all, detail::HashAccess::checked(impl_->hash_function, hash));
}
ExactAnswer Exact::contains(std::string_view group, std::string_view key) const noexcept {
  if (!grouped()) return contains(key);
  const Hash128 hash = detail::HashAccess::raw(impl_->hash_function, group);
  return impl_->find(impl_->of_group(hash), key, within(hash));
}

void Exact::contains(std::span<const std::string_view> keys, std::span<ExactAnswer> answers) const {
  impl_->find_all(impl_->all, keys, answers, kAlone);
}
void Exact::contains(std::span<const std::uint64_t> keys, std::span<ExactAnswer> answers) const {
  impl_->find_all(impl_->all, keys, answers, kAlone);
}
void Exact::contains(std::span<const std::string_view> groups,
                     std::span<const std::string_view> keys, std::span<ExactAnswer> answers) const {
  detail::check_batch(groups.size(), keys.size());
  detail::check_batch(keys.size(), answers.size());
  if (!grouped()) return contains(keys, answers);
  impl_->find_all(groups, keys, answers);
}

Exact::Group Exact::group(std::string_view name) const noexcept {
  if (!grouped()) return {*this, {}, impl_->all.kind, impl_->all.place};
  const Hash128 hash = detail::HashAccess::raw(impl_->hash_function, name);
  const Impl::Of of = impl_->of_group(hash);
  return {*this, hash, of.kind, of.place};
}

ExactAnswer Exact::Group::contains(std::string_view key) const noexcept {
  if (!set_->grouped()) return set_->contains(key);
  return set_->impl_->find(Impl::Of{kind_, place_}, key, within(hash_));
}
ExactAnswer Exact::Group::contains_number(std::uint64_t key) const noexcept {
  if (!set_->grouped()) return set_->contains(key);
  return set_->impl_->find(Impl::Of{kind_, place_}, key, within(hash_));
}
ExactAnswer Exact::Group::contains(const KeyHash& hash) const {
  if (!set_->grouped()) return set_->contains(hash);
  const Hash128& bits = detail::HashAccess::checked(set_->impl_->hash_function, hash);
  return set_->impl_->find_hash(Impl::Of{kind_, place_}, within(hash_)(bits));
}
void Exact::Group::contains(std::span<const std::string_view> keys,
                            std::span<ExactAnswer> answers) const {
  if (!set_->grouped()) return set_->contains(keys, answers);
  set_->impl_->find_all(Impl::Of{kind_, place_}, keys, answers, within(hash_));
}

void Exact::Group::contains(std::span<const std::uint64_t> keys,
                            std::span<ExactAnswer> answers) const {
  if (!set_->grouped()) return set_->contains(keys, answers);
  set_->impl_->find_all(Impl::Of{kind_, place_}, keys, answers, within(hash_));
}

}  // namespace crivo
