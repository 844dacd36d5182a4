// SPDX-License-Identifier: Apache-2.0
// Builds some partitions of a set that is too large for this machine: crivo-sample N SHARE builds
// one in SHARE of those that N keys have, from the keys of `crivo gen ints` that fall into them,
// and prints what they take. With --drawn the hashes are drawn, not made from keys. README.md has
// what came out.

#include <algorithm>
#include <charconv>
#include <chrono>
#include <exception>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "base/parallel.hpp"
#include "build/chosen.hpp"
#include "crivo/key.hpp"
#include "gen/generator.hpp"
#include "lookup/filter_file.hpp"
#include "report/table.hpp"
#include "structures/filter.hpp"
#include "structures/mphf.hpp"

namespace {

using namespace crivo;

using Hashes = std::vector<Hash128>;

/// The sampled partitions, of 2^bits: every SHARE-th.
struct Sample {
  unsigned bits;
  std::uint64_t share;
  std::vector<Hashes> partitions;
};

constexpr unsigned kThreads = 2;

/// Of N keys those that fall into the sampled partitions.
void fill_from_keys(Sample& sample, std::uint64_t n) {
  constexpr std::uint64_t kBlock = std::uint64_t{1} << 20;
  const auto generator = gen::make_generator(gen::Kind::ints, 0, gen::Form::binary);
  std::vector<std::mutex> mutexes(sample.partitions.size());
  base::parallel_for(kThreads, base::div_ceil(n, kBlock), [&](std::uint64_t block) {
    const std::uint64_t first = block * kBlock;
    std::string keys;
    generator->append_block(first, std::min(kBlock, n - first), keys);
    Hashes chosen;
    for (std::size_t at = 0; at < keys.size(); at += sizeof(std::uint64_t)) {
      const Hash128 hash = hash_key(base::load_le<std::uint64_t>(keys.data() + at), kDefaultSeed);
      if ((hash.hi >> (64 - sample.bits)) % sample.share == 0) chosen.push_back(hash);
    }
    for (const Hash128& hash : chosen) {
      const std::uint64_t index = (hash.hi >> (64 - sample.bits)) / sample.share;
      const std::scoped_lock lock(mutexes[index]);
      sample.partitions[index].push_back(hash);
    }
  });
}

/// As many hashes as a partition has on average.
void fill_by_drawing(Sample& sample, std::uint64_t n) {
  for (std::uint64_t i = 0; i < sample.partitions.size(); ++i) {
    Hashes& hashes = sample.partitions[i];
    hashes.resize(n >> sample.bits);
    std::uint64_t state = i << 32;
    for (Hash128& hash : hashes) {
      const std::uint64_t below = base::mix64(++state) >> sample.bits;
      hash = {i * sample.share << (64 - sample.bits) | below, base::mix64(~state)};
    }
  }
}

struct Cost {
  std::uint64_t keys = 0;
  std::uint64_t body_bytes = 0;
  std::uint64_t note_bytes = 0;
  double seconds = 0;  ///< of all threads
};

/// Builds the sampled partitions; those of the structure may be smaller ones.
Cost build_sample(const Assembly& assembly, const Sample& sample) {
  using Clock = std::chrono::steady_clock;
  const unsigned finer = assembly.partition_bits() - sample.bits;
  Cost all;
  std::mutex mutex;
  base::parallel_for(kThreads, sample.partitions.size(), [&](std::uint64_t i) {
    const Clock::time_point begin = Clock::now();
    const stream::KeySlice keys{sample.partitions[i], {}, 0};
    Cost cost{.keys = keys.size()};
    const std::uint64_t first = i * sample.share << finer;
    for (std::uint64_t p = first; p != first + (std::uint64_t{1} << finer); ++p) {
      const Part part = assembly.build_part(assembly.partition_bits(), p,
                                            keys.partition(assembly.partition_bits(), p));
      cost.body_bytes += part.body.size();
      cost.note_bytes += part.notes.size();
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    const std::scoped_lock lock(mutex);
    all.keys += cost.keys;
    all.body_bytes += cost.body_bytes;
    all.note_bytes += cost.note_bytes;
    all.seconds += seconds;
  });
  return all;
}

struct Planned {
  std::string name;
  std::unique_ptr<Assembly> assembly;
};

std::vector<Planned> planned(std::uint64_t n) {
  std::vector<Planned> all;
  for (const mphf::Builder& algorithm : mphf::builders()) {
    if (algorithm.plan != nullptr) {
      all.push_back({"mphf " + std::string(algorithm.name), algorithm.plan(n, {})});
    }
  }
  for (const std::string_view name : {"ribbon", "fuse", "split-block-bloom"}) {
    const FilterOptions options{.type = std::string(name)};
    try {
      all.push_back({"filter " + std::string(name), filter::find_type(options).plan(n, options)});
    } catch (const Error& error) {  // it has no room for so many
      std::cerr << "crivo-sample: " << error.what() << '\n';
    }
  }
  return all;
}

/// Of decimal digits; 0 if `text` is anything else.
std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : 0;
}

int run(std::uint64_t n, std::uint64_t share, bool drawn) {
  const std::vector<Planned> structures = planned(n);
  Sample sample{64, share, {}};
  for (const Planned& structure : structures) {
    sample.bits = std::min(sample.bits, structure.assembly->partition_bits());
  }
  if (sample.bits == 0) {
    std::cerr << "crivo-sample: so few keys have one partition\n";
    return 2;
  }
  sample.partitions.resize(base::div_ceil(std::uint64_t{1} << sample.bits, share));
  drawn ? fill_by_drawing(sample, n) : fill_from_keys(sample, n);
  base::parallel_for(kThreads, sample.partitions.size(),
                     [&](std::uint64_t i) { std::ranges::sort(sample.partitions[i]); });
  report::Table table(
      {"structure", "partitions", "keys built", "bits/key", "notes, bytes/key", "ns/key"});
  for (const Planned& structure : structures) {
    const Cost cost = build_sample(*structure.assembly, sample);
    const auto keys = static_cast<double>(cost.keys);
    table.add({structure.name,
               report::grouped(std::uint64_t{1} << structure.assembly->partition_bits()),
               report::grouped(cost.keys),
               report::fixed(8 * static_cast<double>(cost.body_bytes) / keys, 4),
               report::fixed(static_cast<double>(cost.note_bytes) / keys, 4),
               report::fixed(1e9 * cost.seconds / keys, 0)});
  }
  std::cout << table.write(report::TableForm::markdown);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  const bool drawn = words.size() == 3 && words[2] == "--drawn";
  const std::uint64_t n = words.size() == 2 || drawn ? number(words[0]) : 0;
  const std::uint64_t share = n != 0 ? number(words[1]) : 0;
  if (share == 0) {
    std::cerr << "usage: crivo-sample N SHARE [--drawn]\n";
    return 2;
  }
  try {
    return run(n, share, drawn);
  } catch (const std::exception& error) {
    std::cerr << "crivo-sample: " << error.what() << '\n';
    return 5;
  }
}
