// SPDX-License-Identifier: Apache-2.0
#include "structures/hash_compaction/build/hash_compaction.hpp"

#include <algorithm>
#include <cmath>

#include "base/progress.hpp"
#include "base/refuse_option.hpp"
#include "crivo/error.hpp"
#include "structures/hash_compaction/hash_compaction.hpp"

namespace crivo::filter {
namespace hash_compaction {
namespace {

constexpr double kLoad = 0.9;  ///< compressed keys in an address

/// The width that the options give n keys.
unsigned width_for(std::uint64_t n, const FilterOptions& options) {
  if (options.bits) {
    if (!(*options.bits >= 2 && *options.bits <= kMaxWidth) ||
        *options.bits != std::floor(*options.bits)) {
      base::refuse_option("bits", *options.bits,
                          "is not a whole number from 2 to 64, which hash-compaction filters need");
    }
    return static_cast<unsigned>(*options.bits);
  }
  const double values = static_cast<double>(n) / asked_fpr(options);
  unsigned width = 2;
  while (std::ldexp(1.0, static_cast<int>(width)) - 1 < values) {
    if (++width > kMaxWidth) {
      throw Error(ErrorKind::usage,
                  "a hash-compaction filter has compressed keys of at most 64 bits, which is too "
                  "few for so many keys at this false-positive rate");
    }
  }
  return width;
}

std::uint64_t addresses_for(double distinct) {
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(distinct / kLoad)));
}

/// Calls visit(x) for each compressed key, in ascending order.
template <typename Visit>
void for_each_compressed(std::span<const Hash128> hashes, const CompressedTable& table,
                         Visit&& visit) {
  std::uint64_t last = 0;
  for (const Hash128 hash : hashes) {
    const std::uint64_t x = table.compress(hash);
    if (x != last) visit(x);
    last = x;
  }
}

/// Calls visit(x, slot) for each, with the slot that probing finds for it.
template <typename Visit>
void for_each_placed(std::span<const Hash128> hashes, const CompressedTable& table, Visit&& visit) {
  std::uint64_t free = 0;  // all slots from here on
  for_each_compressed(hashes, table, [&](std::uint64_t x) {
    const std::uint64_t slot = std::max(free, table.address(x));
    visit(x, slot);
    free = slot + 1;
  });
}

}  // namespace
}  // namespace hash_compaction

using namespace hash_compaction;

Forecast forecast_hash_compaction(std::uint64_t n, const FilterOptions& options) {
  CompressedTable table;
  table.width = width_for(n, options);
  if (n == 0) return {};
  const auto keys = static_cast<double>(n);
  const auto values = static_cast<double>(table.values());
  const double distinct = -values * std::expm1(-keys / values);
  return {static_cast<double>(addresses_for(distinct)) * table.width / keys, distinct / values};
}

void build_hash_compaction(const stream::HashSource& hashes, const FilterOptions& options,
                           const base::BuildContext& context, base::Sink& sink) {
  const std::span<const Hash128> all = hashes.whole(context).hashes;
  context.progress.begin("filter", all.size());
  CompressedTable table;
  table.width = width_for(all.size(), options);
  table.keys = all.size();
  base::CancelCheck check(&context.progress);
  for_each_compressed(all, table, [&](std::uint64_t) {
    check();
    ++table.distinct;
  });
  table.addresses = addresses_for(static_cast<double>(table.distinct));
  table.slots = table.addresses;
  for_each_placed(all, table, [&](std::uint64_t x, std::uint64_t slot) {
    check();
    table.slots = std::max(table.slots, slot + 1);
    table.reach = std::max(table.reach, slot + 1 - table.address(x));
  });
  base::Bytes slots(table.bytes() + bits::kFieldPadding);
  for_each_placed(all, table, [&](std::uint64_t x, std::uint64_t slot) {
    check();
    bits::store_bits(slots.data(), slot * table.width, table.width, x);
  });
  context.progress.add(all.size());
  base::FieldWriter header;
  header.u8(static_cast<std::uint8_t>(table.width)).zeros(7).u64(table.keys).u64(table.distinct);
  header.u64(table.addresses).u64(table.slots).u64(table.reach).zeros(16);
  sink.append(header.view());
  sink.append(slots);
}

}  // namespace crivo::filter
