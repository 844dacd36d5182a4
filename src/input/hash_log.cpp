// SPDX-License-Identifier: Apache-2.0
#include "input/hash_log.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "stream/key_stream.hpp"

namespace crivo::input {
namespace {

constexpr std::size_t kVisited = 4096;  // keys at a time

/// `HashedKey` is Hash128, or HashedValue where the value is the hash of a group.
template <typename HashedKey>
class StreamLog final : public HashLog {
 public:
  StreamLog(const HashLogPlace& place, std::uint64_t seed, unsigned threads)
      : directory_(*place.directory),
        resumed_bytes_(*place.resumed_bytes),
        seed_(seed),
        stream_(options(place, seed, threads)) {}

  void fill(const KeyInput& input, const UnitFraming& framing, const HashChunk& hash,
            const base::BuildContext& context) override {
    const Sources sources(input);
    TextSigns signs(sources, framing);
    const Visit add = [this](unsigned thread, std::span<const Hash128> hashes,
                             std::span<const std::uint64_t> groups) {
      auto& writer = stream_.writer(thread);
      for (std::size_t i = 0; i < hashes.size(); ++i) {
        if constexpr (kGrouped) {
          writer.add({hashes[i], groups[i]});
        } else {
          writer.add(hashes[i]);
        }
      }
    };
    resumed_bytes_ += read_parts(
        directory_,
        {sources, framing, seed_, sizeof(HashedKey), signs, nullptr, nullptr, nullptr, {}}, stream_,
        context, [&](unsigned thread, const Chunk& chunk) { hash(thread, chunk, add); });
    keys_ = stream_.finish().hashed_keys;
  }

  void for_each(const base::BuildContext& context, const Visit& visit) const override {
    context.progress.begin("universe", keys_);
    base::parallel_with(context.threads, stream_.partitions(), [&](unsigned thread) {
      return [&, thread, hashes = std::vector<Hash128>(),
              groups = std::vector<std::uint64_t>()](std::uint64_t partition) mutable {
        const auto runs = stream_.read(partition);
        for (const std::span<const HashedKey> run : runs.all) {
          visit_run(run, thread, visit, hashes, groups);
          context.progress.add(run.size());
        }
      };
    });
  }

 private:
  static constexpr bool kGrouped = std::is_same_v<HashedKey, stream::HashedValue>;

  static stream::StreamOptions options(const HashLogPlace& place, std::uint64_t seed,
                                       unsigned threads) {
    if (const auto& found = place.directory->found(); found && found->seed != seed)
      place.directory->forget();
    unsigned bits =
        stream::partition_bits_for(UINT64_MAX, sizeof(HashedKey), threads, place.memory_bytes);
    if (const auto& found = place.directory->found())
      bits = static_cast<unsigned>(std::countr_zero(found->logged.partitions.size()));
    return {.threads = threads,
            .memory_bytes = std::max(place.memory_bytes, stream::least_stream_bytes(threads, bits)),
            .temp_dir = {},
            .log_name = place.directory->log(),
            .partition_bits = bits};
  }

  static void visit_run(std::span<const HashedKey> run, unsigned thread, const Visit& visit,
                        std::vector<Hash128>& hashes, std::vector<std::uint64_t>& groups) {
    if constexpr (!kGrouped) {
      visit(thread, run, {});
    } else {
      while (!run.empty()) {
        hashes.clear();
        groups.clear();
        for (const HashedKey& hashed : run.first(std::min(run.size(), kVisited))) {
          hashes.push_back(hashed.hash);
          groups.push_back(hashed.value);
        }
        visit(thread, hashes, groups);
        run = run.subspan(hashes.size());
      }
    }
  }

  ResumeDirectory& directory_;
  std::uint64_t& resumed_bytes_;
  std::uint64_t seed_;
  stream::KeyStream<HashedKey> stream_;
  std::uint64_t keys_ = 0;
};

}  // namespace

std::unique_ptr<HashLog> open_hash_log(const HashLogPlace& place, bool grouped, std::uint64_t seed,
                                       unsigned threads) {
  if (grouped) return std::make_unique<StreamLog<stream::HashedValue>>(place, seed, threads);
  return std::make_unique<StreamLog<Hash128>>(place, seed, threads);
}

}  // namespace crivo::input
