// SPDX-License-Identifier: Apache-2.0
// Filters from hashes in memory to bytes in memory.
#include <algorithm>
#include <string>
#include <vector>

#include "base/as_error.hpp"
#include "base/bytes.hpp"
#include "base/named_rows.hpp"
#include "base/sink.hpp"
#include "crivo/build/build.hpp"
#include "lookup/hash_filter.hpp"
#include "stream/sorted_hashes.hpp"
#include "structures/build/filter.hpp"

namespace crivo {
namespace {

/// What ribbon and fuse may take beyond the forecast: headers, and a quarter as other hashes are
/// refused.
constexpr double kMostGrowth = 1.25;
constexpr double kHeads = 256;

const filter::Builder& builder_of(const HashFilterOptions& filter) {
  const filter::Type* const type = filter::hash_filter_type(filter.type);
  if (type == nullptr) base::refuse_name("type", filter.type, filter::kHashFilterTypes);
  return filter::builder_of(*type);
}

/// Without the type, whose name would be allocated.
FilterOptions options_of(const HashFilterOptions& filter) {
  FilterOptions options;
  options.fpr = filter.fpr;
  return options;
}

void write_head(const filter::Builder& builder, std::byte* to) noexcept {
  std::ranges::copy(base::as_bytes(filter::kHashFilterMagic), to);
  base::store_le(to + filter::kHashFilterMagic.size(), builder.type().section_type);
}

[[noreturn]] void refuse_room(std::uint64_t needed, std::size_t room) {
  throw Error(ErrorKind::usage, "the room of " + std::to_string(room) +
                                    " bytes is too small: the filter takes " +
                                    std::to_string(needed));
}

/// The section of a type that takes hashes in order.
base::Bytes sorted_section(const filter::Builder& builder, std::span<const std::uint64_t> hashes,
                           const FilterOptions& options) {
  std::vector<Hash128> halves(hashes.size());
  std::ranges::transform(hashes, halves.begin(), [](std::uint64_t hash) {
    return Hash128{hash, hash};
  });
  const auto keys = stream::SortedHashes::from_unsorted(halves);
  halves = {};
  Progress progress;
  base::MemorySink sink;
  builder.build(keys, options, {.threads = 1, .progress = progress}, sink);
  return sink.take();
}

}  // namespace

std::size_t filter_hashes_bytes(std::uint64_t count, const HashFilterOptions& filter) try {
  const filter::Builder& builder = builder_of(filter);
  const FilterOptions options = options_of(filter);
  if (builder.unsorted.fill != nullptr)
    return filter::kHashFilterHead + builder.unsorted.bytes(count, options);
  constexpr std::uint64_t kMostHashes = std::uint64_t{1} << 48;
  if (count > kMostHashes)
    throw Error(ErrorKind::usage, "no memory has room for the filter of so many hashes");
  const double bits = builder.forecast(count, options).bits_per_key * static_cast<double>(count);
  return filter::kHashFilterHead + static_cast<std::size_t>(kMostGrowth * bits / 8 + kHeads);
} catch (...) {
  base::rethrow_as_error();
}

std::size_t build_filter_hashes(std::span<const std::uint64_t> hashes, std::span<std::byte> room,
                                const HashFilterOptions& filter) try {
  const filter::Builder& builder = builder_of(filter);
  const FilterOptions options = options_of(filter);
  const bool in_order = builder.unsorted.fill == nullptr;
  const base::Bytes made = in_order ? sorted_section(builder, hashes, options) : base::Bytes();
  const std::uint64_t bytes =
      filter::kHashFilterHead +
      (in_order ? made.size() : builder.unsorted.bytes(hashes.size(), options));
  if (bytes > room.size()) refuse_room(bytes, room.size());
  const std::span<std::byte> section =
      room.subspan(filter::kHashFilterHead, bytes - filter::kHashFilterHead);
  if (in_order) {
    std::ranges::copy(made, section.begin());
  } else {
    builder.unsorted.fill(hashes, options, section);
  }
  write_head(builder, room.data());
  return bytes;
} catch (...) {
  base::rethrow_as_error();
}

std::vector<std::byte> build_filter_hashes(std::span<const std::uint64_t> hashes,
                                           const HashFilterOptions& filter) {
  std::vector<std::byte> bytes(filter_hashes_bytes(hashes.size(), filter));
  bytes.resize(build_filter_hashes(hashes, bytes, filter));
  return bytes;
}

}  // namespace crivo
