// SPDX-License-Identifier: Apache-2.0
#include "crivo/map.hpp"

#include <algorithm>
#include <array>

#include "base/as_error.hpp"
#include "base/bytes.hpp"
#include "crivo/value_form.hpp"
#include "lookup/check_file.hpp"
#include "lookup/describe.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/kinds.hpp"
#include "lookup/lookup_blocks.hpp"
#include "lookup/map_file.hpp"
#include "lookup/open_trusted.hpp"

namespace crivo {

struct Map::Impl {
  Impl(file::Container opened, const OpenOptions& options)
      : container(std::move(opened)), map(container) {
    index::check_if_asked(container, options);
  }

  template <typename Key>
  void lookup(std::span<const Key> keys, const HashFunction& function,
              std::span<std::uint64_t> values, std::span<bool> present,
              std::span<bool> damaged) const {
    detail::check_batch(keys.size(), values.size());
    detail::check_batch(keys.size(), present.size());
    if (!damaged.empty()) detail::check_batch(keys.size(), damaged.size());
    index::for_each_hashed_block(
        keys, function, [&](std::span<const Hash128> hashes, std::size_t begin) {
          std::array<bool, index::kLookupBlock> no_place;
          bool* const marks = damaged.empty() ? no_place.data() : damaged.data() + begin;
          map.lookup(hashes, values.data() + begin, present.data() + begin, marks);
          if (damaged.empty() &&
              std::find(marks, marks + hashes.size(), true) != marks + hashes.size())
            container.fail("damaged: the bytes that tell a value fail their sums");
          for (std::size_t i = 0; is_signed && i < hashes.size(); ++i)
            values[begin + i] = base::unzigzag(values[begin + i]);
        });
  }

  file::Container container;
  map::MapFile map;
  bool is_signed = index::value_form(container.header()).type != ValueType::unsigned_integer;
};

Map::Map(std::unique_ptr<const Impl> impl)
    : lookup_(impl->is_signed ? detail::MapLookup{} : impl->map.plain_lookup()),
      hash_function_(index::hash_function(impl->container.header())),
      seed_(impl->container.header().seed),
      form_(index::value_form(impl->container.header())),
      impl_(std::move(impl)) {}
Map::~Map() = default;
Map::Map(Map&&) noexcept = default;
Map& Map::operator=(Map&&) noexcept = default;

Map Map::open(const std::filesystem::path& path, const OpenOptions& options) try {
  return Map(
      std::make_unique<const Impl>(index::open_kind(path, file::Kind::map, options), options));
} catch (...) {
  base::rethrow_as_error();
}
Map Map::open(std::span<const std::byte> bytes, const OpenOptions& options) try {
  return Map(
      std::make_unique<const Impl>(index::open_kind(bytes, file::Kind::map, options), options));
} catch (...) {
  base::rethrow_as_error();
}

FileInfo Map::info() const try { return index::describe(impl_->container); } catch (...) {
  base::rethrow_as_error();
}
void Map::verify(const Resources& resources) const try {
  index::check_file(impl_->container, resources);
} catch (...) {
  base::rethrow_as_error();
}

std::uint64_t Map::size() const noexcept {
  return impl_->container.header().keys;
}
unsigned Map::value_bits() const noexcept {
  return impl_->map.function().width();
}
unsigned Map::signature_bits() const noexcept {
  return impl_->map.signature_bits();
}

Map::Answer Map::find_with_care(Hash128 hash) const noexcept {
  const std::optional<std::uint64_t> value = impl_->map.lookup(hash);
  if (impl_->map.is_damaged(hash)) return {.status = Status::damaged};
  if (!value) return {};
  return {impl_->is_signed ? base::unzigzag(*value) : *value, Status::found};
}

void Map::lookup(std::span<const std::string_view> keys, std::span<std::uint64_t> values,
                 std::span<bool> present, std::span<bool> damaged) const {
  impl_->lookup(keys, hash_function_, values, present, damaged);
}
void Map::lookup(std::span<const std::span<const std::byte>> keys, std::span<std::uint64_t> values,
                 std::span<bool> present, std::span<bool> damaged) const {
  impl_->lookup(keys, hash_function_, values, present, damaged);
}
void Map::lookup(std::span<const std::uint64_t> keys, std::span<std::uint64_t> values,
                 std::span<bool> present, std::span<bool> damaged) const {
  impl_->lookup(keys, hash_function_, values, present, damaged);
}
void Map::lookup(std::span<const KeyHash> hashes, std::span<std::uint64_t> values,
                 std::span<bool> present, std::span<bool> damaged) const {
  impl_->lookup(hashes, hash_function_, values, present, damaged);
}

std::span<const std::string_view> value_types() noexcept {
  static constexpr std::array<std::string_view, 3> kNames{"unsigned", "signed", "decimal"};
  return kNames;
}

std::string value_type_name(ValueType type) {
  return std::string(value_types()[static_cast<std::size_t>(type)]);
}

std::string value_text(std::uint64_t value, const ValueForm& form) {
  const bool negative = form.type != ValueType::unsigned_integer && value >> 63 != 0;
  std::string text = std::to_string(negative ? 0 - value : value);
  if (form.type == ValueType::decimal && form.scale != 0) {
    if (text.size() <= form.scale) text.insert(0, form.scale + 1 - text.size(), '0');
    text.insert(text.size() - form.scale, 1, '.');
  }
  return (negative ? "-" : "") + text;
}

}  // namespace crivo
