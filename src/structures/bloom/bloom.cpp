// SPDX-License-Identifier: Apache-2.0
#include "structures/bloom/bloom.hpp"

#include <algorithm>
#include <array>

#include "crivo/error.hpp"
#include "structures/bloom/cells.hpp"

namespace crivo::filter {
namespace {

constexpr std::size_t kGroup = 64;               ///< keys whose cache misses are overlapped
constexpr std::uint64_t kCachedBytes = 1 << 20;  ///< of a filter that no cache miss is feared of

/// `kBits` is the bits of a cell, or 0 where only the header knows them.
template <unsigned kBits>
class BloomFilter final : public Membership {
 public:
  explicit BloomFilter(base::ByteView section)
      : header_(BloomHeader::decode(section)), cells_(section.data() + BloomHeader::kBytes) {
    if (kBits == 1 && (header_.cell_bits != 1 || header_.saturated != 0)) {
      throw Error(ErrorKind::corrupt, "filter section: has counters");
    }
  }

  std::uint64_t size() const noexcept override { return header_.keys; }
  double fpr() const noexcept override { return header_.fpr(); }

  bool contains(Hash128 hash) const noexcept override {
    return for_each_probe(hash, header_.regions, 0, header_.hashes,
                          [&](std::uint64_t cell) { return occupied(cell); });
  }

  void contains(std::span<const Hash128> hashes, bool* answers) const noexcept override {
    if (header_.section_bytes() <= kCachedBytes) {
      for (std::size_t i = 0; i < hashes.size(); ++i) answers[i] = contains(hashes[i]);
      return;
    }
    // Most hashes that are not in the set are refused by the first two probes, so the cells of the
    // others are fetched for those alone that pass.
    const unsigned first = std::min(header_.hashes, 2U);
    std::array<std::uint8_t, kGroup> passed{};
    while (!hashes.empty()) {
      const std::size_t count = std::min(kGroup, hashes.size());
      for (std::size_t i = 0; i < count; ++i) fetch(hashes[i], 0, first);
      std::size_t passing = 0;
      for (std::size_t i = 0; i < count; ++i) {
        bool all = true;  // no branch on what is as good as random
        for_each_probe(hashes[i], header_.regions, 0, first, [&](std::uint64_t cell) {
          all &= occupied(cell);
          return true;
        });
        answers[i] = all;
        passed[passing] = static_cast<std::uint8_t>(i);
        passing += all ? 1 : 0;
      }
      for (std::size_t j = 0; j < passing; ++j) {
        fetch(hashes[passed[j]], first, header_.hashes);
      }
      for (std::size_t j = 0; j < passing; ++j) {
        answers[passed[j]] =
            for_each_probe(hashes[passed[j]], header_.regions, first, header_.hashes,
                           [&](std::uint64_t cell) { return occupied(cell); });
      }
      hashes = hashes.subspan(count);
      answers += count;
    }
  }

  std::uint64_t count(Hash128 hash) const noexcept override {
    std::uint64_t least = UINT64_MAX;
    for_each_probe(hash, header_.regions, 0, header_.hashes, [&](std::uint64_t cell) {
      least = std::min(least, value(cell));
      return least != 0;
    });
    return least;
  }

  std::vector<Parameter> parameters() const override {
    const auto cells = static_cast<double>(header_.cells());
    std::vector<Parameter> all{{"cells", header_.cells()},
                               {"hashes", std::uint64_t{header_.hashes}}};
    if (kBits != 1) {
      all.push_back({"counter_bits", std::uint64_t{header_.cell_bits}});
      all.push_back({"saturated_counters", header_.saturated});
    }
    all.push_back({"fill", static_cast<double>(header_.occupied) / cells});
    all.push_back({"capacity", header_.capacity});
    all.push_back({"fpr_at_capacity",
                   bloom_fpr(cells, static_cast<double>(header_.capacity), header_.hashes)});
    if (header_.estimated) all.push_back({"keys_estimated", true});
    return all;
  }

 private:
  std::uint64_t value(std::uint64_t cell) const noexcept {
    return cell_value(cell, kBits == 0 ? header_.cell_bits : kBits, [this](std::uint64_t word) {
      return base::load_le<std::uint64_t>(cells_ + 8 * word);
    });
  }
  bool occupied(std::uint64_t cell) const noexcept { return value(cell) != 0; }
  void fetch(Hash128 hash, unsigned begin, unsigned end) const noexcept {
    for_each_probe(hash, header_.regions, begin, end, [&](std::uint64_t cell) {
      __builtin_prefetch(cells_ + cell * (kBits == 0 ? header_.cell_bits : kBits) / 8);
      return true;
    });
  }

  BloomHeader header_;
  const std::byte* cells_;
};

}  // namespace

std::unique_ptr<const Membership> open_bloom(base::ByteView section) {
  return std::make_unique<BloomFilter<1>>(section);
}

std::unique_ptr<const Membership> open_counting_bloom(base::ByteView section) {
  return std::make_unique<BloomFilter<0>>(section);
}

}  // namespace crivo::filter
