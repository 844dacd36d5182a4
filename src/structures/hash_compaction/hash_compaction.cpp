// SPDX-License-Identifier: Apache-2.0
#include "structures/hash_compaction/hash_compaction.hpp"

#include <algorithm>
#include <array>

namespace crivo::filter {
namespace hash_compaction {
namespace {

constexpr std::uint64_t kMaxSlots = std::uint64_t{1} << 48;

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

}  // namespace
}  // namespace hash_compaction

using namespace hash_compaction;

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
