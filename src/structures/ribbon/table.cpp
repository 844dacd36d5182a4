// SPDX-License-Identifier: Apache-2.0
#include "structures/ribbon/table.hpp"

#include <algorithm>

#include "base/cpu.hpp"
#include "structures/retrieval/fingerprint_filter.hpp"

namespace crivo::ribbon {
namespace {

/// The kernel of a set without keys.
constexpr Kernel kEmpty{
    [](const void*, std::uint64_t, std::uint64_t) noexcept { return std::uint64_t{0}; },
    [](const void*, std::span<const Hash128> hashes, std::uint64_t* values) noexcept {
      std::fill_n(values, hashes.size(), 0);
    },
    [](const void*, std::uint64_t, std::uint64_t) noexcept { return false; },
    [](const void*, std::span<const Hash128> hashes, bool* answers) noexcept {
      std::fill_n(answers, hashes.size(), false);
    },
    [](std::span<const Row> rows, std::uint64_t* values) noexcept {
      std::fill_n(values, rows.size(), std::uint64_t{0});
    }};

}  // namespace

Table::Rows Table::open_rows(const Header& header, const base::CheckedBytes& section) {
  if (header.n < kSmallSetKeys) return SmallSet(header, section);
  if (header.is_long()) return LongLayers(header, section);
  return Layers(header, section);
}

Form Table::form() const noexcept {
  if (header_.is_long()) return Form::long_layers;
  return header_.n < kSmallSetKeys ? Form::small_set : Form::layers;
}

Table::Table(const base::CheckedBytes& section, HashPart part)
    : header_(decode_header(section, part)),
      rows_(open_rows(header_, section)),
      kernel_(header_.n == 0 ? kEmpty : ribbon::kernel(form(), header_.width, base::cpu())) {}

}  // namespace crivo::ribbon

namespace crivo::filter {

std::unique_ptr<const Membership> open_ribbon(base::ByteView section) {
  return std::make_unique<FingerprintFilter<ribbon::Table>>(
      ribbon::Table(section, ribbon::HashPart::first_half));
}

}  // namespace crivo::filter
