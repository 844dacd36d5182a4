// SPDX-License-Identifier: Apache-2.0
#include "structures/classic/build/fch.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "structures/classic/blocks.hpp"
#include "structures/classic/build/fch_search.hpp"
#include "structures/classic/build/section.hpp"
#include "structures/classic/fch_mapping.hpp"
#include "structures/classic/words.hpp"

namespace crivo::classic {
namespace {

constexpr std::uint32_t kMaxMappings = 256;

/// The mapping and the ordering step.
FchBuckets map_and_order(std::span<const Hash128> hashes, std::uint32_t salt,
                         const FchMapping& mapping, std::uint32_t bucket_count) {
  const auto bucket_of = [&](Hash128 hash) { return mapping.bucket(words(hash, salt)[0]); };
  std::vector<std::uint32_t> sizes(bucket_count);
  for (const Hash128& hash : hashes) ++sizes[bucket_of(hash)];

  FchBuckets buckets;
  buckets.numbers = buckets_by_size(sizes);
  std::vector<std::uint32_t> ends(bucket_count);
  std::uint32_t end = 0;
  for (const std::uint32_t b : buckets.numbers) {
    buckets.sizes.push_back(sizes[b]);
    ends[b] = end;
    end += sizes[b];
  }
  buckets.hashes.resize(hashes.size());
  for (const Hash128& hash : hashes) buckets.hashes[ends[bucket_of(hash)]++] = hash;
  return buckets;
}

}  // namespace

std::vector<std::uint32_t> buckets_by_size(std::span<const std::uint32_t> sizes) {
  std::vector<std::uint32_t> starts(*std::ranges::max_element(sizes) + 2);  // by falling size
  for (const std::uint32_t size : sizes) ++starts[starts.size() - 1 - size];
  for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  std::vector<std::uint32_t> numbers(starts[starts.size() - 2]);
  for (std::uint32_t b = 0; b < sizes.size(); ++b) {
    if (sizes[b] != 0) numbers[starts[starts.size() - 2 - sizes[b]]++] = b;
  }
  return numbers;
}

void build_fch(const stream::HashSource& hashes, const mphf::BuildChoices& choices,
               const base::BuildContext& context, base::Sink& sink) {
  write_fch(hashes, choices.range, context, sink);
}

FchCounts write_fch(const stream::HashSource& hashes, Range range,
                    const base::BuildContext& context, base::Sink& sink) {
  check_keys(hashes.size());
  const auto n = static_cast<std::uint32_t>(hashes.size());
  SectionHeader header{.keys = n, .range = range};
  FchCounts counts;
  if (n == 0) {
    write(header, sink);
    return counts;
  }
  const std::uint32_t bucket_count = fch_buckets(n);
  header.entries = bucket_count;
  const FchMapping mapping(range, n, bucket_count);
  for (; header.salt < kMaxMappings; ++header.salt) {
    context.progress.begin("mapping", n);
    const FchBuckets buckets =
        map_and_order(hashes.whole(context).hashes, header.salt, mapping, bucket_count);
    context.progress.begin("search", n);
    const auto rotations = search_fch(buckets, bucket_count, range, counts, &context.progress);
    if (!rotations) continue;
    context.progress.add(n);
    header.pattern_salt = rotations->pattern_salt;
    write(header, sink);
    write_entries(rotations->g, sink);
    return counts;
  }
  fail_attempts("no minimal perfect hash function", n, kMaxMappings);
}

}  // namespace crivo::classic
