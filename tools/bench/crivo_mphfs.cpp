// Crivo's minimal perfect hash functions, built as `crivo build mphf` builds them and read through
// the bytes of their section as a mapped file is.

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/sink.hpp"
#include "bench/clock.hpp"
#include "bench/crivo_rows.hpp"
#include "bench/methods.hpp"
#include "bench/structure.hpp"
#include "bench/value_array.hpp"
#include "index/lookup_blocks.hpp"
#include "structures/mphf.hpp"

namespace crivo::bench {
namespace {

/// As Mphf::lookup(), of which a user's loop has the same inline.
class Rank {
 public:
  explicit Rank(const mphf::Function& function)
      : function_(function), level_(function.first_level()) {}
  /// Of key i, whose hash(i) is.
  template <typename Hash>
  std::uint64_t operator()(const Hash& hash, std::size_t i) const noexcept {
    std::uint64_t rank;
    if (level_.is<detail::FastForm>()) [[likely]] {
      if (level_.find<detail::FastForm>(hash.first_half(i), rank)) return rank;
    } else if (level_.is<detail::CompactForm>()) {
      if (level_.find<detail::CompactForm>(hash.first_half(i), rank)) return rank;
    } else {
      return function_.rank(hash(i));
    }
    return function_.bumped_rank(hash(i));
  }

 private:
  const mphf::Function& function_;
  detail::PhastLevel level_;
};

class CrivoMphf {
 public:
  /// By the algorithm in a row of the registry.
  static std::unique_ptr<CrivoMphf> build(std::size_t row, const crivo_bench_keys& keys,
                                          unsigned threads) {
    const mphf::Algorithm& algorithm = mphf::algorithms()[row];
    Progress progress;
    const base::BuildContext context{threads, progress};
    auto built = std::make_unique<CrivoMphf>();
    base::MemorySink sink;
    with_hash(keys, [&](auto hash) {
      with_keys(keys.count, hash, context, [&](const stream::KeySource& hashes) {
        const double begin = process_cpu_ns();
        algorithm.build(hashes, {}, context, sink);
        built->cpu_ns_from_hashes_ = process_cpu_ns() - begin;
      });
    });
    built->section_ = sink.take();
    built->function_ = algorithm.open(built->section_);
    return built;
  }

  /// By the default algorithm.
  static std::unique_ptr<CrivoMphf> build(const crivo_bench_keys& keys, unsigned threads,
                                          const char*&) {
    return build(0, keys, threads);
  }

  std::uint64_t bits() const { return 8 * section_.size(); }
  double cpu_ns_from_hashes() const { return cpu_ns_from_hashes_; }

  template <typename Use>
  void with_lookup(const crivo_bench_keys& keys, Use&& use) const {
    const Rank rank(*function_);
    with_hash(keys, [&](auto hash) { use([&](std::size_t i) { return rank(hash, i); }); });
  }

  void look_up_batch(const crivo_bench_keys& keys, std::uint64_t* ranks) const {
    std::array<Hash128, index::kLookupBlock> hashes;
    with_hash(keys, [&](auto hash) {
      for (std::size_t begin = 0; begin < keys.count; begin += hashes.size()) {
        const std::size_t size = std::min(hashes.size(), keys.count - begin);
        for (std::size_t i = 0; i < size; ++i) hashes[i] = hash(begin + i);
        function_->ranks(std::span(hashes).first(size), ranks + begin);
      }
    });
  }

 private:
  base::Bytes section_;
  std::unique_ptr<const mphf::Function> function_;
  double cpu_ns_from_hashes_ = 0;
};

}  // namespace

std::vector<Method> crivo_mphfs() {
  std::vector<std::string> names;
  for (const mphf::Algorithm& algorithm : mphf::algorithms()) names.emplace_back(algorithm.name);
  return crivo_rows<CrivoMphf>(names);
}

std::vector<Method> crivo_array_maps() {
  return {{method_of<ValueArray<CrivoMphf>>("Crivo MPHF + array"), "Crivo"}};
}

}  // namespace crivo::bench
