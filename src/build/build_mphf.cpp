// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>
#include <utility>

#include "base/as_error.hpp"
#include "build/build_file.hpp"
#include "build/builds.hpp"
#include "build/built_hash.hpp"
#include "build/choices.hpp"
#include "build/chosen.hpp"
#include "input/key_order.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/rank_index.hpp"
#include "structures/build/mphf.hpp"

namespace crivo {

namespace {

/// The ranks in the order of the input; `set` must outlive them.
retrieval::ValueSource ranks_in_order(const input::KeySet& set, const base::BuildContext& context) {
  const std::span<const std::uint64_t> numbers = set.keys.whole(context).values;
  return [numbers, order = input::KeyOrder(numbers, set.collected)](
             std::span<const Hash128>, std::uint64_t first, std::span<std::uint64_t> ranks) {
    for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = order.place(numbers[first + i]);
  };
}

}  // namespace

namespace index {

BuildSummary build_mphf(const KeyInput& input, const Output& output, const MphfOptions& mphf,
                        const BuildOptions& options, const hashing::HashFamily& hash) {
  const mphf::Builder& algorithm = index::find_algorithm(mphf);
  const hashing::KeyHashId key_hash = built_hash(hashing::find_key_hash(mphf.hash), options);
  KeyInput limited = input;
  limited.format.max_key_bytes =
      std::min(limited.format.max_key_bytes, hashing::max_key_bytes(key_hash));
  FileBuild build{.choices = every_choice(chosen(mphf)),
                  .memory = mphf_memory(mphf),
                  .phases = mphf_phases(mphf.algorithm, mphf.effort, mphf.signature_bits),
                  .takes_passes = true,
                  .read =
                      [&](const KeyInput& keys, input::HashOptions hashing,
                          const base::BuildContext& context, const input::UseKeys& use) {
                        // The seeds' hashes do not spread all honest keys, and their functions take
                        // the whole set.
                        if (!hashing::stands_for(key_hash, hashing::KeyHashId::xxh3))
                          hashing.parts = 0;
                        const auto hash_all = algorithm.preserves_order ? input::hash_numbered_keys
                                                                        : input::hash_keys;
                        hash_all(keys, hashing, context, use);
                      },
                  .plan =
                      [&](const input::KeySet& set, const base::BuildContext& context) {
                        KeyTotals totals{.keys = set.keys.size()};
                        if (algorithm.preserves_order) totals.ranks = ranks_in_order(set, context);
                        return plan(mphf, std::move(totals));
                      }};
  build.header.kind = file::Kind::mphf;
  build.header.key_hash = key_hash;
  return build_file(limited, output, build, options, hash);
}

}  // namespace index

BuildSummary build_mphf(const KeyInput& input, const Output& output, const MphfOptions& mphf,
                        const BuildOptions& options) try {
  return index::build_mphf(
      input, output, mphf, options,
      hashing::hash_family(index::built_hash(hashing::find_key_hash(mphf.hash), options)));
} catch (...) {
  base::rethrow_as_error();
}

std::span<const std::string_view> key_hashes() noexcept {
  return hashing::key_hash_names();
}

std::span<const std::string_view> mphf_algorithms() noexcept {
  return mphf::algorithm_names();
}

}  // namespace crivo
