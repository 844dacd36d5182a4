/// Some of the keys of a set, chosen anew whenever they are leased.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "stream/key_source.hpp"
#include "stream/owned_keys.hpp"

namespace crivo::stream {

/// For subsets that would take too much memory to keep. A key's rank in the subset is not known:
/// KeySlice::first is 0. Each lease costs one of the set.
class SelectedKeys final : public KeySource {
 public:
  /// The keys of a partition that are selected; called from several threads at once.
  using Select = std::function<OwnedKeys(const KeySlice& keys)>;

  /// `select` returns `size` keys of `all` altogether. Both must outlive this.
  SelectedKeys(const KeySource& all, std::uint64_t size, Select select)
      : all_(all), size_(size), select_(std::move(select)) {}

  std::uint64_t size() const noexcept override { return size_; }
  unsigned value_bits() const noexcept override { return all_.value_bits(); }
  void keep_order() const override { all_.keep_order(); }
  KeySlice whole(const base::BuildContext& context) const override {
    const std::scoped_lock lock(mutex_);
    if (whole_.hashes.empty()) {
      for_each_partition(
          std::min(all_.lease_bits(), 11U), {}, context,
          [](std::uint64_t, const KeySlice& keys) {
            OwnedKeys part;
            part.append(keys);
            return part;
          },
          [this](std::uint64_t, const OwnedKeys& part) { whole_.append(part.slice()); });
    }
    return whole_.slice();
  }

 private:
  unsigned lease_bits() const noexcept override { return all_.lease_bits(); }
  /// From one finer lease after the other, so that few keys are in memory that are not selected.
  Lease lease(unsigned bits, std::uint64_t index) const override {
    const unsigned cut = cut_bits(bits);
    auto selection = std::make_shared<OwnedKeys>();
    for (std::uint64_t p = index << cut; p != (index + 1) << cut; ++p) {
      const Lease given = all_.lease(bits + cut, p);
      selection->append(select_(given.keys).slice());
    }
    return {selection->slice(), selection};
  }
  unsigned threads_for(unsigned bits, const PartCost& cost,
                       unsigned threads) const noexcept override {
    constexpr double kKeyBytes = 2 * (sizeof(Hash128) + sizeof(std::uint64_t));
    const unsigned cut = cut_bits(bits);
    // For each key of a finer lease so many are selected in all.
    const double selected = static_cast<double>(size_) /
                            static_cast<double>(std::max<std::uint64_t>(all_.size(), 1)) *
                            static_cast<double>(std::uint64_t{1} << cut);
    return all_.threads_for(bits + cut,
                            {(cost.build_bytes + kKeyBytes) * selected, cost.part_bytes * selected},
                            threads);
  }
  void end_pass() const noexcept override { all_.end_pass(); }

  /// So much finer are the leases of the set.
  unsigned cut_bits(unsigned bits) const noexcept {
    constexpr std::uint64_t kLeasedKeys = std::uint64_t{1} << 16;
    unsigned finer = bits;
    while (finer < all_.lease_bits() && all_.size() >> finer > kLeasedKeys) ++finer;
    return finer - bits;
  }

  const KeySource& all_;
  std::uint64_t size_;
  Select select_;
  mutable std::mutex mutex_;
  mutable OwnedKeys whole_;  ///< all of them, from the first whole() on
};

}  // namespace crivo::stream
