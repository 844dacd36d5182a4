// SPDX-License-Identifier: Apache-2.0
#include "structures/ribbon/table.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/cpu.hpp"

namespace crivo::ribbon {
namespace {

template <Layout kLayout>
void find_all(const Layers& layers, std::span<const Hash128> hashes, Row* row) noexcept {
  constexpr bool kNarrow = kLayout == Layout::blocks_of_64;
  for (const Hash128 hash : hashes) {
    if (!layers.find_first<kLayout, kNarrow>(hash.hi, layers.width().bits, *row))
      *row = layers.find_bumped<kLayout>(kNarrow ? of_filter(hash) : hash);
    prefetch<kLayout>(*row++);
  }
}

}  // namespace

Table::Form Table::open_form(const Header& header, base::ByteView section) {
  if (header.n < kSmallSetKeys) return SmallSet(header, section);
  return Layers(header, section);
}

Table::Table(base::ByteView section, Layout layout)
    : header_(decode_header(section, layout)),
      form_(open_form(header_, section)),
      kernel_(ribbon::kernel(layout, header_.width, base::cpu())) {}

std::uint64_t Table::value(Hash128 hash) const noexcept {
  hash = known(hash);
  if (const Layers* const found = layers()) return kernel_.value(found, hash.hi, hash.lo);
  return std::get_if<SmallSet>(&form_)->value(hash);
}

void Table::values(std::span<const Hash128> hashes, std::uint64_t* values) const noexcept {
  const Layers* const found = layers();
  if (found == nullptr) {
    std::ranges::transform(hashes, values, [this](Hash128 hash) { return value(hash); });
    return;
  }
  std::array<Row, kBatch> rows;
  while (!hashes.empty()) {
    const auto some = hashes.first(std::min(kBatch, hashes.size()));
    if (header_.layout == Layout::blocks_of_64) {
      find_all<Layout::blocks_of_64>(*found, some, rows.data());
    } else {
      find_all<Layout::blocks_of_8>(*found, some, rows.data());
    }
    kernel_.values(std::span(rows).first(some.size()), values);
    hashes = hashes.subspan(some.size());
    values += some.size();
  }
}

detail::MapLookup Table::value_lookup() const noexcept {
  if (const Layers* const found = layers()) return {kernel_.value, found};
  const auto value = [](const void* table, std::uint64_t hi, std::uint64_t lo) noexcept {
    return static_cast<const Table*>(table)->value({hi, lo});
  };
  return {value, this};
}

bool Table::contains(Hash128 hash) const noexcept {
  if (const Layers* const found = layers()) return kernel_.contains(found, hash.hi, hash.lo);
  return size() != 0 && is_fingerprint(value(hash), hash.hi, width());
}

void Table::contains(std::span<const Hash128> hashes, bool* answers) const noexcept {
  if (const Layers* const found = layers()) return kernel_.contains_all(*found, hashes, answers);
  std::ranges::transform(hashes, answers, [this](Hash128 hash) { return contains(hash); });
}

detail::FilterLookup Table::lookup() const noexcept {
  constexpr auto kForm = detail::FilterLookup::Form::first_half;
  if (const Layers* const found = layers()) {
    return {.form = kForm, .call = kernel_.contains, .filter = found};
  }
  const auto call = [](const void* table, std::uint64_t hi, std::uint64_t lo) noexcept {
    return static_cast<const Table*>(table)->contains({hi, lo});
  };
  return {.form = kForm, .call = call, .filter = this};
}

double Table::rate() const noexcept {
  return size() == 0 ? 0 : rate_of(header_.width);
}

}  // namespace crivo::ribbon
