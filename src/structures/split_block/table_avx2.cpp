// SPDX-License-Identifier: Apache-2.0
#include "structures/split_block/split_block.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>

/// Said of each function, not of the file, whose headers' inline functions are for any processor.
#define CRIVO_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))

namespace crivo::filter::split_block {
namespace {

/// The bits of a hash in its block.
CRIVO_AVX2 inline __m256i mask_of(std::uint64_t hi) noexcept {
  const __m256i salts =
      _mm256_loadu_si256(static_cast<const __m256i*>(static_cast<const void*>(kSalts.data())));
  const __m256i low = _mm256_set1_epi32(static_cast<int>(static_cast<std::uint32_t>(hi)));
  const __m256i bits = _mm256_srli_epi32(_mm256_mullo_epi32(low, salts), 27);
  return _mm256_sllv_epi32(_mm256_set1_epi32(1), bits);
}

CRIVO_AVX2 inline bool holds_avx2(const std::byte* block, std::uint64_t hi) noexcept {
  const __m256i words =
      _mm256_loadu_si256(static_cast<const __m256i*>(static_cast<const void*>(block)));
  return _mm256_testc_si256(words, mask_of(hi)) != 0;
}

class Avx2Filter final : public TableFilter {
 public:
  using TableFilter::TableFilter;

  CRIVO_AVX2 bool contains(Hash128 hash) const noexcept override {
    return holds_avx2(table_.block(hash), hash.hi);
  }
  detail::FilterLookup lookup() const noexcept override { return {.call = ask, .filter = &table_}; }

  CRIVO_AVX2 void contains(std::span<const Hash128> hashes, bool* answers) const noexcept override {
    const Table table = table_;
    const std::size_t size = hashes.size();
    for (std::size_t i = 0; i < std::min(kAhead, size); ++i) {
      __builtin_prefetch(table.block(hashes[i]));
    }
    for (std::size_t i = 0; i < size; ++i) {
      if (i + kAhead < size) __builtin_prefetch(table.block(hashes[i + kAhead]));
      answers[i] = holds_avx2(table.block(hashes[i]), hashes[i].hi);
    }
  }

 private:
  CRIVO_AVX2 static bool ask(const void* table, std::uint64_t hi, std::uint64_t) noexcept {
    return holds_avx2(static_cast<const Table*>(table)->block({hi, 0}), hi);
  }
};

}  // namespace

CRIVO_AVX2 Ones fill_avx2(std::span<const Hash128> hashes, std::uint64_t blocks,
                          std::uint64_t first, std::uint64_t end, std::byte* data) {
  Ones sum = 0;
  const Hash128* next = hashes.data();
  const Hash128* const last = next + hashes.size();
  for (std::uint64_t block = first; block < end; ++block, data += kBlockBytes) {
    __m256i words = _mm256_setzero_si256();
    for (; next != last && block_of(next->hi, blocks) == block; ++next) {
      words = _mm256_or_si256(words, mask_of(next->hi));
    }
    _mm256_storeu_si256(static_cast<__m256i*>(static_cast<void*>(data)), words);
    alignas(32) std::uint32_t filled[kWords];
    _mm256_store_si256(static_cast<__m256i*>(static_cast<void*>(filled)), words);
    std::uint64_t product = 1;
    for (const std::uint32_t word : filled) {
      product *= static_cast<std::uint64_t>(_mm_popcnt_u32(word));
    }
    sum += product;
  }
  return sum;
}

CRIVO_AVX2 void add_avx2(std::span<const std::uint64_t> hashes, std::uint64_t blocks,
                         std::byte* data) noexcept {
  for (const std::uint64_t hash : hashes) {
    void* const block = data + kBlockBytes * block_of(hash, blocks);
    const __m256i words = _mm256_loadu_si256(static_cast<const __m256i*>(block));
    _mm256_storeu_si256(static_cast<__m256i*>(block), _mm256_or_si256(words, mask_of(hash)));
  }
}

std::unique_ptr<const Membership> make_avx2_filter(const Table& table) {
  return std::make_unique<Avx2Filter>(table);
}

}  // namespace crivo::filter::split_block

#else

namespace crivo::filter::split_block {

Ones fill_avx2(std::span<const Hash128> hashes, std::uint64_t blocks, std::uint64_t first,
               std::uint64_t end, std::byte* data) {
  return fill(hashes, blocks, first, end, data);
}

void add_avx2(std::span<const std::uint64_t> hashes, std::uint64_t blocks,
              std::byte* data) noexcept {
  add(hashes, blocks, data);
}

std::unique_ptr<const Membership> make_avx2_filter(const Table&) {
  return nullptr;  // base::cpu() never says that there is AVX2
}

}  // namespace crivo::filter::split_block

#endif
