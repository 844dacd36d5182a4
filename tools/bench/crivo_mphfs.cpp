// SPDX-License-Identifier: Apache-2.0
// Crivo's minimal perfect hash functions, built as `crivo build mphf` builds them, and read through
// the public interface from the mapped file. A build ends with that file in the page cache.

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "bench/clock.hpp"
#include "bench/crivo_rows.hpp"
#include "bench/methods.hpp"
#include "bench/structure.hpp"
#include "bench/value_array.hpp"
#include "crivo/mphf.hpp"
#include "file/container.hpp"
#include "file/pending_file.hpp"
#include "index/lookup_blocks.hpp"
#include "structures/mphf.hpp"

namespace crivo::bench {
namespace {

class CrivoMphf {
 public:
  /// By the algorithm in a row of the registry.
  static std::unique_ptr<CrivoMphf> build(std::size_t row, const crivo_bench_keys& keys,
                                          unsigned threads) {
    auto built = std::make_unique<CrivoMphf>(row, keys, threads);
    built->write(Keys::leased);
    return built;
  }
  CrivoMphf(std::size_t row, const crivo_bench_keys& keys, unsigned threads)
      : row_(row), keys_(keys), threads_(threads) {}

  /// By the default algorithm.
  static std::unique_ptr<CrivoMphf> build(const crivo_bench_keys& keys, unsigned threads,
                                          const char*&) {
    return build(0, keys, threads);
  }

  std::uint64_t bits() const { return bits_; }
  /// Of another build.
  double cpu_ns_from_hashes() const { return CrivoMphf(row_, keys_, threads_).write(Keys::sorted); }

  template <typename Use>
  void with_lookup(const crivo_bench_keys& keys, Use&& use) const {
    const Mphf& mphf = *mphf_;
    if (keys.numbers != nullptr) {
      use([&](std::size_t i) { return mphf.lookup(keys.numbers[i]); });
    } else {
      use([&](std::size_t i) { return mphf.lookup(text(keys, i)); });
    }
  }

  void look_up_batch(const crivo_bench_keys& keys, std::uint64_t* ranks) const {
    if (keys.numbers != nullptr) {
      mphf_->lookup(std::span(keys.numbers, keys.count), {ranks, keys.count});
      return;
    }
    std::array<std::string_view, index::kLookupBlock> texts;
    for (std::size_t begin = 0; begin < keys.count; begin += texts.size()) {
      const std::size_t size = std::min(texts.size(), keys.count - begin);
      for (std::size_t i = 0; i < size; ++i) texts[i] = text(keys, begin + i);
      mphf_->lookup(std::span<const std::string_view>(texts).first(size), {ranks + begin, size});
    }
  }

 private:
  /// Builds it; returns the CPU time from the point at which the keys are in a key stream on.
  double write(Keys how) {
    const mphf::Algorithm& algorithm = mphf::algorithms()[row_];
    Progress progress;
    const base::BuildContext context{threads_, progress};
    double begin = 0;
    with_hash(keys_, [&](auto hash) {
      with_keys(keys_.count, hash, how, context, [&](const stream::KeySource& hashes) {
        begin = process_cpu_ns();
        file::PendingFile file(scratch_file());
        file::ContainerWriter writer(file);
        base::Sink& section = writer.begin_section(algorithm.section_type);
        algorithm.build(hashes, {}, context, section);
        bits_ = 8 * section.size();
        file::Header header;
        header.kind = file::Kind::mphf;
        header.keys = hashes.size();
        header.seed = kDefaultSeed;
        writer.finish(header, {});
        mphf_ = std::make_unique<const Mphf>(Mphf::open(file.path_to_open()));
      });
    });
    return process_cpu_ns() - begin;
  }

  std::size_t row_;
  crivo_bench_keys keys_;
  unsigned threads_;
  std::unique_ptr<const Mphf> mphf_;
  std::uint64_t bits_ = 0;
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
