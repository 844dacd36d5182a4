#include "structures/ribbon/table.hpp"

#include <algorithm>
#include <array>

#include "base/cpu.hpp"
#include "structures/retrieval/fingerprint.hpp"

namespace crivo::ribbon {
namespace {

constexpr std::size_t kBatch = 32;

/// Asks for the lines of the blocks that a row reaches into.
void prefetch(const std::byte* block, std::uint64_t bytes) noexcept {
  const std::byte* const line = block - reinterpret_cast<std::uintptr_t>(block) % 64;
  for (const std::byte* at = line; at < block + bytes; at += 64) __builtin_prefetch(at);
}

template <Layout kLayout>
void find_all(const Layers& layers, std::span<const Hash128> hashes, Row* rows) noexcept {
  const std::uint64_t bytes = 8U * layers.width() + block_bytes(kLayout, layers.width());
  for (const Hash128 hash : hashes) {
    if (!layers.find_first<kLayout>(hash.hi, hash.lo, layers.width(), *rows))
      *rows = layers.find_bumped<kLayout>(hash);
    prefetch(rows++->block, bytes);
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
      kernel_(kernel(layout, header_.width, base::cpu())) {}

std::uint64_t Table::small_value(std::uint64_t hi, std::uint64_t lo) const noexcept {
  return std::get_if<SmallSet>(&form_)->value({hi, lo});
}

bool Table::small_contains(std::uint64_t hi, std::uint64_t lo) const noexcept {
  return size() != 0 && small_value(hi, lo) == retrieval::fingerprint({hi, lo}, width());
}

void Table::values(std::span<const Hash128> hashes, std::uint64_t* values) const noexcept {
  const Layers* layers = std::get_if<Layers>(&form_);
  if (layers == nullptr) {
    std::ranges::transform(hashes, values, [this](Hash128 hash) { return value(hash); });
    return;
  }
  std::array<Row, kBatch> rows;
  while (!hashes.empty()) {
    const auto some = hashes.first(std::min(kBatch, hashes.size()));
    if (header_.layout == Layout::blocks_of_64) {
      find_all<Layout::blocks_of_64>(*layers, some, rows.data());
    } else {
      find_all<Layout::blocks_of_8>(*layers, some, rows.data());
    }
    kernel_.values(std::span(rows).first(some.size()), header_.width, values);
    hashes = hashes.subspan(some.size());
    values += some.size();
  }
}

}  // namespace crivo::ribbon
