/// Bytes as a page group of a store: u16 length of a dictionary, the dictionary, u64 rank of the
/// group's last record, the group. Checksums are put right first, or no mutation would get past
/// them. Then the group is refused, or each of its blocks is decompressed and its records taken.
#include <xxhash.h>

#include <cstdlib>

#include "bits/varint.hpp"
#include "fuzz/fuzz_input.hpp"
#include "records/block.hpp"
#include "records/zstd_blocks.hpp"
#include "records/group.hpp"

namespace {

using namespace crivo;

constexpr std::size_t kChecksumSize = 8;
constexpr std::size_t kMaxRaw = std::size_t{1} << 20;

/// Puts a checksum of `count` bytes before them, if they lie within the group.
void mend(std::span<std::byte> group, std::uint64_t at, std::uint64_t count, std::uint64_t rank) {
  if (at > group.size() || group.size() - at < kChecksumSize + count) return;
  std::byte* const checked = group.data() + at + kChecksumSize;
  base::store_le(group.data() + at, std::uint64_t{XXH3_64bits_withSeed(checked, count, rank)});
}

void mend_checksums(std::span<std::byte> group, std::uint64_t last_rank) {
  if (group.size() < kChecksumSize + 2) return;
  const std::size_t length = base::load_le<std::uint16_t>(group.data() + kChecksumSize);
  mend(group, 0, 2 + length, last_rank);
  std::uint64_t at = kChecksumSize + 2 + length;
  if (at > group.size()) return;
  base::ByteView entries = group.subspan(kChecksumSize + 2, length);
  std::uint32_t records = 0;
  std::uint32_t blocks = 0;
  if (!bits::take_varint(entries, records) || !bits::take_varint(entries, blocks)) return;
  std::uint64_t rank = last_rank - records + 1;
  std::uint32_t raw_size = 0;
  std::uint32_t stored_size = 0;
  while (bits::take_varint(entries, records) && bits::take_varint(entries, raw_size) &&
         bits::take_varint(entries, stored_size)) {
    mend(group, at, stored_size, rank);
    at += kChecksumSize + stored_size;
    rank += records;
  }
}

void take_records(base::ByteView raw) {
  std::string_view key;
  std::string_view record;
  std::uint64_t left = raw.size();
  while (!raw.empty() && records::take_raw_record(raw, key, record)) {
    if (key.size() + record.size() + raw.size() >= left) std::abort();  // no progress
    left = raw.size();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  if (size < 10) return 0;
  const std::size_t dictionary_size = base::load_le<std::uint16_t>(bytes);
  if (size - 10 < dictionary_size) return 0;
  const std::size_t before = 2 + dictionary_size + 8;
  const std::uint64_t last_rank = base::load_le<std::uint64_t>(bytes + before - 8);
  const fuzz::Input input(data + before, size - before);
  mend_checksums(input.writable(), last_rank);
  fuzz::expect_use_or_refusal([&] {
    const records::DecompressionDictionary dictionary({bytes + 2, dictionary_size});
    records::BlockDecompressor decompressor(dictionary, kMaxRaw);
    records::GroupReader group;
    if (!group.open(input.view(), last_rank)) return;
    records::GroupReader::Block block;
    bool every_block = true;
    for (std::uint64_t rank = group.first_rank(); rank <= last_rank;) {
      every_block = group.find(rank, block);
      if (!every_block) break;
      if (block.first_rank != rank || block.data.records == 0) std::abort();
      base::ByteView raw;
      if (decompressor.decompress(block.data.stored, block.data.raw_size, raw)) take_records(raw);
      if (block.data.records > last_rank - rank) break;
      rank += block.data.records;
    }
    if (group.is_complete() && !every_block) std::abort();
  });
  return 0;
}
