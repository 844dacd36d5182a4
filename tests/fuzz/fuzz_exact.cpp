// SPDX-License-Identifier: Apache-2.0
/// Bytes as the groups of an exact set, beside a sound filter of each class and a sound function of
/// one bit: refused, or each group is found and answers alike one key at a time and in a batch.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "fuzz/fuzz_input.hpp"
#include "structures/exact/exact_set.hpp"
#include "support/hashes.hpp"
#include "support/ribbons.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace crivo;
  constexpr std::size_t kHashes = 50;
  static const std::vector<Hash128> hashes = test::random_hashes(kHashes);
  static const auto keys = stream::SortedHashes::from_unsorted(hashes);
  static const base::Bytes bit = test::build_ribbon(keys, 1);
  static const auto filters = [] {
    std::array<base::Bytes, 2 * exact::kMostWidth + 1> all;
    for (unsigned tag = 1; tag < all.size(); ++tag) {
      all[tag] = test::build_ribbon(keys, exact::width_of(static_cast<exact::Class>(tag)), 1,
                                    ribbon::HashPart::first_half);
    }
    return all;
  }();
  const fuzz::Input groups(data, size);
  fuzz::expect_use_or_refusal([&] {
    const exact::ExactSet set({groups.view(),
                               [](unsigned tag) {
                                 return std::optional<base::CheckedBytes>(
                                     base::ByteView(filters[tag]));
                               },
                               base::ByteView(bit)});
    const std::uint64_t most = std::min<std::uint64_t>(set.groups().size(), 100);
    for (std::uint64_t group = 0; group < most; ++group) {
      const exact::Class kind = set.groups().kind(group);
      if (set.totals().grouped && set.groups().find(set.groups().hash(group)) != kind) std::abort();
      std::array<bool, kHashes> answers{};
      set.contains(kind, hashes, answers.data());
      for (std::size_t i = 0; i < kHashes; ++i) {
        if (set.contains(kind, hashes[i]) != answers[i]) std::abort();
      }
    }
    for (const Hash128& hash : hashes) (void)set.groups().find(hash.hi);
  });
  return 0;
}
