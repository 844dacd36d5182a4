// SPDX-License-Identifier: Apache-2.0
#include "structures/hash_compaction/hash_compaction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/cancel_check.hpp"
#include "base/refuse_option.hpp"
#include "crivo/error.hpp"
#include "structures/bits/bit_fields.hpp"

namespace crivo::filter {
namespace hash_compaction {
namespace {

constexpr unsigned kMaxWidth = 64;
constexpr double kLoad = 0.9;  ///< compressed keys in an address
constexpr std::uint64_t kMaxSlots = std::uint64_t{1} << 48;

/// A hash table of compressed keys (Wolper, Leroy, "Reliable Hashing without Collision Detection",
/// CAV 1993). A compressed key x is a number of `width` bits, not 0, that marks a free slot; its
/// address is x's part of all numbers of that width, so that addresses ascend as compressed keys
/// do. Collisions are resolved by linear probing; as keys are put in in ascending order, the table
/// ascends but for its free slots, and a search ends at the first that is larger.
struct CompressedTable {
  unsigned width = 2;
  std::uint64_t keys = 0;
  std::uint64_t distinct = 0;  ///< compressed keys
  std::uint64_t addresses = 1;
  std::uint64_t slots = 1;  ///< the addresses, and what probing needs beyond the last
  std::uint64_t reach = 0;  ///< so many slots from its address on, at most, a search looks at
  const std::byte* data = nullptr;

  /// The number of values that a compressed key can have.
  std::uint64_t values() const noexcept { return ~std::uint64_t{0} >> (64 - width); }
  std::uint64_t bytes() const noexcept { return base::div_ceil(slots * width, 8); }

  std::uint64_t compress(Hash128 hash) const noexcept { return 1 + base::mulhi(hash.hi, values()); }
  std::uint64_t address(std::uint64_t x) const noexcept {
    return base::mulhi((x - 1) << (64 - width), addresses);
  }
  std::uint64_t slot(std::uint64_t index) const noexcept {
    const std::uint64_t bit = index * width;
    if (width > 57) return static_cast<std::uint64_t>(bits::load_bits(data, bit)) & values();
    return base::load_le<std::uint64_t>(data + bit / 8) >> (bit % 8) & values();
  }
};

class Filter final : public Membership {
 public:
  explicit Filter(const CompressedTable& table) noexcept : table_(table) {}

  std::uint64_t size() const noexcept override { return table_.keys; }
  double fpr() const noexcept override {
    return static_cast<double>(table_.distinct) / static_cast<double>(table_.values());
  }
  std::vector<Parameter> parameters() const override {
    return {{"compressed_bits", std::uint64_t{table_.width}},
            {"compressed_keys", table_.distinct},
            {"slots", table_.slots}};
  }

  bool contains(Hash128 hash) const noexcept override {
    const std::uint64_t x = table_.compress(hash);
    return holds(x, table_.address(x));
  }

  void contains(std::span<const Hash128> hashes, bool* answers) const noexcept override {
    struct Search {
      std::uint64_t x;
      std::uint64_t address;
    };
    std::array<Search, 32> searches;
    while (!hashes.empty()) {
      const std::size_t size = std::min(searches.size(), hashes.size());
      for (std::size_t i = 0; i < size; ++i) {
        const std::uint64_t x = table_.compress(hashes[i]);
        searches[i] = {x, table_.address(x)};
        __builtin_prefetch(table_.data + searches[i].address * table_.width / 8);
      }
      for (std::size_t i = 0; i < size; ++i) {
        answers[i] = holds(searches[i].x, searches[i].address);
      }
      hashes = hashes.subspan(size);
      answers += size;
    }
  }

 private:
  /// Where most searches have ended: those slots are looked at without a branch.
  static constexpr std::uint64_t kFirstSlots = 8;

  bool holds(std::uint64_t x, std::uint64_t address) const noexcept {
    const std::uint64_t end = address + std::min(table_.reach, table_.slots - address);
    std::uint64_t at = address;
    if (table_.slots - address >= kFirstSlots) {
      unsigned found = 0;
      unsigned ended = 0;
      for (; at < address + kFirstSlots; ++at) {
        const std::uint64_t slot = table_.slot(at);
        found |= static_cast<unsigned>(slot == x);
        ended |= static_cast<unsigned>(slot - 1 >= x);  // free, or larger
      }
      if ((found | ended) != 0) return found != 0;
    }
    for (; at < end; ++at) {
      const std::uint64_t slot = table_.slot(at);
      if (slot == x) return true;
      if (slot - 1 >= x) return false;
    }
    return false;
  }

  CompressedTable table_;
};

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

std::unique_ptr<const Membership> open_hash_compaction(base::ByteView section) {
  base::FieldReader r(section, "filter section");
  CompressedTable table;
  table.width = r.u8();
  r.zeros(7);
  table.keys = r.u64();
  table.distinct = r.u64();
  table.addresses = r.u64();
  table.slots = r.u64();
  table.reach = r.u64();
  r.zeros(16);
  if (table.width < 2 || table.width > kMaxWidth) r.fail("has compressed keys of no sound width");
  if (table.slots > kMaxSlots || table.addresses == 0 || table.addresses > table.slots ||
      table.reach > table.slots) {
    r.fail("has no sound number of slots");
  }
  if (table.distinct > std::min({table.keys, table.slots, table.values()}) ||
      (table.distinct == 0) != (table.keys == 0)) {
    r.fail("has numbers of keys that do not agree");
  }
  table.data = bits::take_fields(r, table.slots * table.width).data();
  r.expect_end();
  return std::make_unique<hash_compaction::Filter>(table);
}

}  // namespace crivo::filter
