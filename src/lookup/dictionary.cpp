// SPDX-License-Identifier: Apache-2.0
#include "crivo/dictionary.hpp"

#include <algorithm>
#include <array>

#include "base/as_error.hpp"
#include "base/bytes.hpp"
#include "base/page_checks.hpp"
#include "crivo/error.hpp"
#include "crivo/inspect.hpp"
#include "lookup/check_file.hpp"
#include "lookup/describe.hpp"
#include "lookup/dictionary_file.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/kinds.hpp"
#include "lookup/lookup_blocks.hpp"
#include "lookup/open_trusted.hpp"

namespace crivo {

struct Dictionary::Impl {
  Impl(file::Container opened, const OpenOptions& options)
      : container(std::move(opened)),
        reader(dictionary::open_dictionary(container)),
        hashed(dictionary::open_hashed(container)),
        is_signed(container.header().value_type > file::ValueTypeId::unsigned_integer) {
    index::check_if_asked(container, options);
  }

  /// Whether a lookup, which is done again if need be, rests on damaged bytes.
  template <typename Lookup>
  bool is_damaged(const Lookup& lookup) const noexcept {
    return base::rests_on_damage(reader.checks(), lookup);
  }
  std::uint64_t find_hashed(const Hash128& hash) const {
    const dictionary::HashedIds& ids = hashed_ids();
    const std::uint64_t id = ids.find(hash);
    return is_damaged([&] { (void)ids.find(hash); }) ? kDamaged : id;
  }
  /// Marks the ids of a batch that touched damage, as far as they rest on it. `find_again(i)` does
  /// a lookup.
  template <typename FindAgain>
  void mark_damaged(std::span<std::uint64_t> ids, const FindAgain& find_again) const noexcept {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (is_damaged([&] { find_again(i); })) ids[i] = kDamaged;
    }
  }
  void find_hashed(std::span<const Hash128> hashes, std::span<std::uint64_t> ids) const noexcept {
    const base::DamageWatch watch(reader.checks());
    hashed->find(hashes, ids.data());
    if (watch.has_seen()) mark_damaged(ids, [&](std::size_t i) { (void)hashed->find(hashes[i]); });
  }
  [[noreturn]] void fail_damaged() const {
    throw Error(ErrorKind::corrupt,
                container.name() + ": damaged: a block of keys or values is malformed");
  }

  /// Throws Error(usage) if there are none.
  const dictionary::HashedIds& hashed_ids() const {
    if (!hashed) [[unlikely]]
      fail_unhashed();
    return *hashed;
  }
  [[noreturn, gnu::noinline]] void fail_unhashed() const {
    throw Error(ErrorKind::usage,
                container.name() + ": has no hashed ids; build the dictionary with them",
                {.remedy = "hashed"});
  }

  file::Container container;
  dictionary::Reader reader;
  std::optional<dictionary::HashedIds> hashed;
  bool is_signed;  ///< of values: they are kept as base::zigzag() makes them
};

Dictionary::Dictionary(std::unique_ptr<const Impl> impl)
    : hash_function_(index::hash_function(impl->container.header())), impl_(std::move(impl)) {}
Dictionary::~Dictionary() = default;
Dictionary::Dictionary(Dictionary&&) noexcept = default;
Dictionary& Dictionary::operator=(Dictionary&&) noexcept = default;

Dictionary Dictionary::open(const std::filesystem::path& path, const OpenOptions& options) try {
  return Dictionary(std::make_unique<const Impl>(
      index::open_kind(path, file::Kind::dictionary, options), options));
} catch (...) {
  base::rethrow_as_error();
}
Dictionary Dictionary::open(std::span<const std::byte> bytes, const OpenOptions& options) try {
  return Dictionary(std::make_unique<const Impl>(
      index::open_kind(bytes, file::Kind::dictionary, options), options));
} catch (...) {
  base::rethrow_as_error();
}

FileInfo Dictionary::info() const try { return index::describe(impl_->container); } catch (...) {
  base::rethrow_as_error();
}
void Dictionary::verify(const Resources& resources) const try {
  index::check_file(impl_->container, resources);
} catch (...) {
  base::rethrow_as_error();
}

std::uint64_t Dictionary::size() const noexcept {
  return impl_->reader.size();
}
std::uint64_t Dictionary::longest_key() const noexcept {
  return impl_->reader.head().longest_key;
}

std::uint64_t Dictionary::lookup(std::string_view key) const noexcept {
  const dictionary::Place place = impl_->reader.find(key);
  if (impl_->is_damaged([&] { (void)impl_->reader.find(key); })) return kDamaged;
  return place.found ? place.id : kAbsent;
}
void Dictionary::lookup(std::span<const std::string_view> keys,
                        std::span<std::uint64_t> ids) const {
  detail::check_batch(keys.size(), ids.size());
  constexpr std::size_t kAtOnce = 64;
  std::array<dictionary::Place, kAtOnce> places;
  for (std::size_t begin = 0; begin < keys.size(); begin += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, keys.size() - begin);
    const base::DamageWatch watch(impl_->reader.checks());
    impl_->reader.find(keys.subspan(begin, count), places);
    for (std::size_t i = 0; i < count; ++i)
      ids[begin + i] = places[i].found ? places[i].id : kAbsent;
    if (watch.has_seen())
      impl_->mark_damaged(ids.subspan(begin, count),
                          [&](std::size_t i) { (void)impl_->reader.find(keys[begin + i]); });
  }
}

bool Dictionary::has_hashed() const noexcept {
  return impl_->hashed.has_value();
}
std::uint64_t Dictionary::lookup_hashed(std::string_view key) const {
  return impl_->find_hashed(detail::HashAccess::raw(hash_function_, key));
}
std::uint64_t Dictionary::lookup_hashed(const KeyHash& hash) const {
  return impl_->find_hashed(detail::HashAccess::checked(hash_function_, hash));
}
void Dictionary::lookup_hashed(std::span<const std::string_view> keys,
                               std::span<std::uint64_t> ids) const {
  detail::check_batch(keys.size(), ids.size());
  const auto find = [&](std::span<const Hash128> hashes, std::size_t begin) {
    impl_->find_hashed(hashes, ids.subspan(begin, hashes.size()));
  };
  (void)impl_->hashed_ids();
  index::for_each_hashed_block(keys, hash_function_, find);
}
void Dictionary::lookup_hashed(std::span<const KeyHash> hashes,
                               std::span<std::uint64_t> ids) const {
  detail::check_batch(hashes.size(), ids.size());
  (void)impl_->hashed_ids();
  index::for_each_hashed_block(hashes, hash_function_,
                               [&](std::span<const Hash128> block, std::size_t begin) {
                                 impl_->find_hashed(block, ids.subspan(begin, block.size()));
                               });
}

std::optional<std::string_view> Dictionary::key(std::uint64_t id,
                                                std::span<char> buffer) const noexcept {
  const base::DamageWatch watch(impl_->reader.checks());
  const std::optional<std::size_t> size = impl_->reader.key(id, buffer);
  if (!size || watch.has_seen()) return std::nullopt;
  return std::string_view(buffer.data(), *size);
}
std::optional<std::string> Dictionary::key(std::uint64_t id) const {
  std::string text(longest_key(), '\0');
  const auto found = key(id, text);
  if (!found) return std::nullopt;
  text.resize(found->size());
  return text;
}

std::size_t Dictionary::key(std::span<const std::uint64_t> ids, std::span<char> buffer,
                            std::span<std::uint64_t> ends) const {
  detail::check_batch(ids.size() + 1, ends.size());
  const base::DamageWatch watch(impl_->reader.checks());
  const std::size_t written = impl_->reader.keys(ids, buffer, ends);
  if (watch.has_seen()) impl_->fail_damaged();
  if (written == ids.size() || buffer.size() - ends[written] < longest_key()) return written;
  if (ids[written] >= size()) {
    throw Error(ErrorKind::usage, impl_->container.name() + ": there is no id " +
                                      std::to_string(ids[written]) + "; ids are below " +
                                      std::to_string(size()));
  }
  impl_->fail_damaged();
}

bool Dictionary::has_values() const noexcept {
  return impl_->reader.values().has_value();
}
ValueForm Dictionary::value_form() const noexcept {
  return has_values() ? index::value_form(impl_->container.header()) : ValueForm();
}
std::optional<std::uint64_t> Dictionary::value(std::uint64_t id) const noexcept {
  const std::optional<dictionary::Values>& values = impl_->reader.values();
  if (!values) return std::nullopt;
  const base::DamageWatch watch(impl_->reader.checks());
  const std::optional<std::uint64_t> kept = values->get(id);
  if (watch.has_seen()) return std::nullopt;
  return kept && impl_->is_signed ? base::unzigzag(*kept) : kept;
}
void Dictionary::value(std::span<const std::uint64_t> ids, std::span<std::uint64_t> values,
                       std::span<bool> present, std::span<bool> damaged) const {
  detail::check_batch(ids.size(), values.size());
  detail::check_batch(ids.size(), present.size());
  if (!damaged.empty()) detail::check_batch(ids.size(), damaged.size());
  std::ranges::fill(damaged, false);
  const std::optional<dictionary::Values>& all = impl_->reader.values();
  if (!all) {
    std::fill(values.begin(), values.end(), 0);
    std::fill(present.begin(), present.end(), false);
    return;
  }
  const base::DamageWatch watch(impl_->reader.checks());
  all->get(ids, values, present);
  for (std::size_t i = 0; watch.has_seen() && i < ids.size(); ++i) {
    if (!impl_->is_damaged([&] { (void)all->get(ids[i]); })) continue;
    if (damaged.empty()) impl_->fail_damaged();
    values[i] = 0;
    present[i] = false;
    damaged[i] = true;
  }
  if (!impl_->is_signed) return;
  for (std::uint64_t& value : values) value = base::unzigzag(value);
}

std::uint64_t Dictionary::lower_bound(std::string_view text) const noexcept {
  const std::uint64_t id = impl_->reader.find(text).id;
  return impl_->is_damaged([&] { (void)impl_->reader.find(text); }) ? kDamaged : id;
}

Dictionary::Range Dictionary::prefix(std::string_view text) const noexcept {
  const dictionary::Ids ids = impl_->reader.prefix(text);
  if (impl_->is_damaged([&] { (void)impl_->reader.prefix(text); })) return {kDamaged, kDamaged};
  return {ids.begin, ids.end};
}

Dictionary::Prefix Dictionary::longest_prefix(std::string_view text) const noexcept {
  Prefix prefix;
  const std::optional<std::uint64_t> id = impl_->reader.longest_prefix(text, prefix.size);
  if (id) prefix.id = *id;
  std::size_t again = 0;
  if (impl_->is_damaged([&] { (void)impl_->reader.longest_prefix(text, again); }))
    return {kDamaged, 0};
  return prefix;
}

void Dictionary::prefixes(std::string_view text, std::vector<Prefix>& found) const {
  found.clear();
  while (true) {
    const Prefix prefix = longest_prefix(text);
    if (prefix.id == kAbsent) return;
    if (prefix.id == kDamaged) impl_->fail_damaged();
    found.push_back(prefix);
    if (prefix.size == 0) return;
    text = text.substr(0, prefix.size - 1);
  }
}

static_assert(Dictionary::kMostEdits == dictionary::kMostEdits);
void Dictionary::fuzzy(std::string_view text, unsigned edits, std::vector<Near>& found) const {
  if (edits > kMostEdits) {
    throw Error(ErrorKind::usage, "keys are found by at most " + std::to_string(kMostEdits) +
                                      " edits, not " + std::to_string(edits));
  }
  found.clear();
  const base::DamageWatch watch(impl_->reader.checks());
  const bool is_sound =
      dictionary::for_each_near(impl_->reader, text, edits, [&](std::uint64_t id, unsigned made) {
        found.push_back({id, made});
      });
  if (!is_sound || watch.has_seen()) impl_->fail_damaged();
}

struct Dictionary::Cursor::Impl {
  const dictionary::Reader& reader;
  dictionary::Walk walk;
  bool is_lost = false;  ///< where it was to go could not be told

  template <typename Go>
  bool go(const Go& step) noexcept {
    const base::DamageWatch watch(reader.checks());
    const bool is_there = !is_lost && step();
    is_lost = is_lost || watch.has_seen();
    return is_there && !is_lost;
  }
};

Dictionary::Cursor::Cursor(const Dictionary& dictionary)
    : impl_(std::make_unique<Impl>(
          Impl{dictionary.impl_->reader, dictionary::Walk(dictionary.impl_->reader), false})) {}
Dictionary::Cursor::~Cursor() = default;
Dictionary::Cursor::Cursor(Cursor&&) noexcept = default;
Dictionary::Cursor& Dictionary::Cursor::operator=(Cursor&&) noexcept = default;

bool Dictionary::Cursor::seek(std::uint64_t id) noexcept {
  impl_->is_lost = false;
  return impl_->go([&] { return impl_->walk.seek(id); });
}
bool Dictionary::Cursor::seek(std::string_view text) noexcept {
  impl_->is_lost = false;
  return impl_->go([&] { return impl_->walk.seek(impl_->reader.find(text).id); });
}
bool Dictionary::Cursor::next() noexcept {
  return impl_->go([&] { return impl_->walk.next(); });
}
std::uint64_t Dictionary::Cursor::id() const noexcept {
  return impl_->walk.id();
}
std::string_view Dictionary::Cursor::key() const noexcept {
  return impl_->walk.key();
}
bool Dictionary::Cursor::is_damaged() const noexcept {
  return impl_->is_lost || impl_->walk.is_malformed();
}

}  // namespace crivo
