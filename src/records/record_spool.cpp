// SPDX-License-Identifier: Apache-2.0
#include "records/record_spool.hpp"

#include <algorithm>
#include <array>

#include "base/bytes.hpp"
#include "base/lasting_log.hpp"
#include "bits/arithmetic.hpp"
#include "records/limits.hpp"

namespace crivo::records {

namespace {

// An entry of the log: u64 and u64 the hash, u64 the record's place in the order of the input, u32
// the key's length, u32 the record's length, the key, the record.
constexpr std::size_t kHeaderSize = 32;

// A write of so many bytes is none too small for a disk that is written in order.
constexpr std::uint64_t kMostBufferBytes = std::uint64_t{8} << 10;
constexpr std::uint64_t kLeastBufferBytes = std::uint64_t{1} << 10;
constexpr std::uint64_t kBufferPart = 8;  // of the memory

// So many bytes of the log are read at a time.
constexpr std::size_t kReadBytes = std::size_t{256} << 10;

std::uint64_t buffer_bytes(std::uint64_t memory_bytes, unsigned bits) {
  return std::clamp((memory_bytes / kBufferPart) >> bits, kLeastBufferBytes, kMostBufferBytes);
}

}  // namespace

RecordSpool::RecordSpool(const std::filesystem::path& temp_directory, unsigned bits,
                         std::uint64_t memory_bytes, const std::filesystem::path& log_name)
    : bits_(bits),
      log_(temp_directory, std::size_t{1} << bits, buffer_bytes(memory_bytes, bits), log_name) {}

void RecordSpool::add(Hash128 hash, std::uint64_t order, std::string_view key,
                      std::string_view record) {
  check_limits(key, record);
  std::array<std::byte, kHeaderSize> header;
  base::store_le(header.data(), hash.hi);
  base::store_le(header.data() + 8, hash.lo);
  base::store_le(header.data() + 16, order);
  base::store_le(header.data() + 24, static_cast<std::uint32_t>(key.size()));
  base::store_le(header.data() + 28, static_cast<std::uint32_t>(record.size()));
  log_.append(bits::top_bits(hash.hi, bits_),
              {header, base::as_bytes(key), base::as_bytes(record)});
}

void RecordSpool::read(unsigned bits, std::uint64_t index, RecordBatch& to) const {
  const bool is_finer = bits > bits_;
  const std::uint64_t begin = is_finer ? index >> (bits - bits_) : index << (bits_ - bits);
  const std::uint64_t end = is_finer ? begin + 1 : (index + 1) << (bits_ - bits);
  base::Bytes some;
  for (std::uint64_t piece = begin; piece != end; ++piece) {
    for (std::size_t chunk = 0; log_.read(piece, chunk, kReadBytes, some); some.clear()) {
      const std::byte* const last = some.data() + some.size();
      for (const std::byte* at = some.data(); at != last;) {
        const auto left = static_cast<std::size_t>(last - at);
        if (left < kHeaderSize) base::fail_damaged_log(log_.name());
        const Hash128 hash{base::load_le<std::uint64_t>(at), base::load_le<std::uint64_t>(at + 8)};
        const auto order = base::load_le<std::uint64_t>(at + 16);
        const auto key_size = base::load_le<std::uint32_t>(at + 24);
        const auto record_size = base::load_le<std::uint32_t>(at + 28);
        const auto* const key = reinterpret_cast<const char*>(at + kHeaderSize);
        const std::size_t size = kHeaderSize + std::size_t{key_size} + record_size;
        if (left < size) base::fail_damaged_log(log_.name());
        at += size;
        if (is_finer && bits::top_bits(hash.hi, bits) != index) continue;
        to.add(hash, order, {key, key_size}, {key + key_size, record_size});
      }
    }
  }
}

double RecordSpool::listed_bytes(double pair_bytes, std::uint64_t memory_bytes) noexcept {
  const double chunks =
      (kHeaderSize + pair_bytes) / static_cast<double>(buffer_bytes(memory_bytes, kMostBits));
  return std::min(chunks, 1.0) * base::PartitionedLog::kChunkBytes;
}

}  // namespace crivo::records
