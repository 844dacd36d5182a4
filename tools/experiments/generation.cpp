// SPDX-License-Identifier: Apache-2.0
#include "experiments/generation.hpp"

#include <algorithm>
#include <string_view>
#include <variant>
#include <vector>

#include "bench/clock.hpp"
#include "build/chosen.hpp"
#include "crivo/progress.hpp"
#include "experiments/stopwatch.hpp"
#include "file/container.hpp"
#include "lookup/rank_index.hpp"
#include "structures/classic/blocks.hpp"
#include "structures/classic/build/fch.hpp"
#include "structures/classic/fch_mapping.hpp"
#include "structures/classic/functions.hpp"

namespace crivo::experiments {
namespace {

std::uint64_t parameter(const mphf::Function& function, std::string_view name,
                        std::uint64_t otherwise) {
  for (const Parameter& parameter : function.parameters()) {
    if (parameter.name == name) return std::get<std::uint64_t>(parameter.value);
  }
  return otherwise;
}

void write_file(const mphf::Builder& algorithm, base::ByteView section, const file::Header& header,
                const std::filesystem::path& output) {
  file::PendingFile file(file::OutputTarget::file(output, file::IfExists::replace));
  file::ContainerWriter writer(file);
  writer.begin_section(algorithm.section_type).append(section);
  writer.finish(header, {{"crivo.algorithm", std::string(algorithm.name)}});
  (void)file.publish();
}

/// FCH's ordering step by itself.
double ordering_seconds(std::span<const Hash128> hashes, const NamedHash& hash) {
  const std::uint32_t buckets = classic::fch_buckets(hashes.size());
  const classic::FchMapping mapping(hash.range, static_cast<std::uint32_t>(hashes.size()), buckets);
  std::vector<std::uint32_t> sizes(buckets);
  for (const Hash128& key : hashes) ++sizes[mapping.bucket(classic::words(key, 0)[0])];
  const Stopwatch stopwatch;
  (void)classic::buckets_by_size(sizes);
  return stopwatch.seconds();
}

}  // namespace

Json generate(const NamedAlgorithm& named, const HashedKeySet& keys, const NamedHash& hash,
              std::uint64_t seed, const std::filesystem::path& output) {
  const mphf::Builder& algorithm = index::find_algorithm(named.name);
  mphf::BuildChoices choices;
  choices.range = hash.range;
  const stream::KeySlice all = keys.hashes.all();
  choices.ranks = [&](std::span<const Hash128>, std::uint64_t first,
                      std::span<std::uint64_t> ranks) {
    std::copy_n(all.values.begin() + static_cast<std::ptrdiff_t>(first), ranks.size(),
                ranks.begin());
  };
  Progress progress;
  const base::BuildContext context{1, progress};
  base::MemorySink section;
  classic::FchCounts counts;
  const double wall = bench::wall_ns();
  const Stopwatch stopwatch;
  if (named.name == "fch") {
    counts = classic::write_fch(keys.hashes, choices.range, context, section);
  } else {
    algorithm.build(keys.hashes, choices, context, section);
  }
  const double seconds = stopwatch.seconds();
  const double wall_seconds = (bench::wall_ns() - wall) / 1e9;

  const auto function = algorithm.algorithm().open(section.view());
  Json json{{"attempts", parameter(*function, "attempts", 1)},
            {"seconds", seconds},
            {"hashing_seconds", keys.seconds},
            {"bytes", section.size()}};
  if (std::string_view(progress.phase()) == "search") {  // the last step; its clock is the wall's
    const double search = std::min(seconds, progress.seconds() * seconds / wall_seconds);
    json["search_seconds"] = search;
    json["mapping_seconds"] = seconds - search;
  }
  if (counts.patterns != 0) {
    json["patterns"] = counts.patterns;
    json["alignments"] = static_cast<double>(counts.alignments) /
                         static_cast<double>(parameter(*function, "buckets", 1));
    const double ordering = ordering_seconds(all.hashes, hash);
    json["ordering_seconds"] = ordering;
    json["mapping_seconds"] = json["mapping_seconds"].get<double>() - ordering;
  }
  if (!output.empty()) {
    file::Header header;
    header.keys = keys.hashes.size();
    header.seed = seed;
    header.key_hash = hash.id;
    write_file(algorithm, section.view(), header, output);
  }
  return json;
}

}  // namespace crivo::experiments
