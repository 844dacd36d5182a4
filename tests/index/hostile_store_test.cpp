// SPDX-License-Identifier: Apache-2.0
// A store whose every checksum fits, and which claims more keys than its files can hold.

#include <gtest/gtest.h>
#include <xxhash.h>

#include <fstream>
#include <iterator>

#include "crivo/build/reproduce.hpp"
#include "crivo/inspect.hpp"
#include "crivo/store.hpp"
#include "file/section_types.hpp"
#include "fuzz/mended_file.hpp"
#include "index/key_sets.hpp"
#include "records/backends/lmdb/environment.hpp"
#include "records/backends/lmdb/lmdb_tree.hpp"
#include "structures/bits/packed.hpp"
#include "support/read_file.hpp"
#include "support/stores.hpp"

namespace crivo::test {
namespace {

constexpr std::uint64_t kKeys = 500;
constexpr std::uint64_t kClaimed = std::uint64_t{1} << 40;

void write_bytes(const std::filesystem::path& path, base::ByteView bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << base::as_text(bytes);
}

/// A PHast section of one level with all the keys in one partition, eight buckets and no holes.
base::Bytes claiming_function() {
  constexpr unsigned kSeedBits = 16;
  base::FieldWriter fields;
  fields.u64(kClaimed).u8(kSeedBits).zeros(7);
  fields.u32(8).u8(9).u8(0).zeros(2);
  constexpr std::uint64_t kSeeds = 8 * kSeedBits;
  fields.zeros(bits::padded_bytes(kSeeds)).u64(0);
  return fields.take();
}

/// Makes the environment, whose tree is one leaf, end with the rank before `kClaimed`, and say so.
void claim_records(base::Bytes& data) {
  constexpr std::size_t kPage = 4096;
  const std::size_t identity = base::as_text(data).find("CRIVOENV");
  ASSERT_NE(identity, std::string_view::npos);
  base::store_le(&data[identity + 32], kClaimed);
  const std::size_t page = identity / kPage * kPage;
  for (std::size_t at = page; at + 8 <= page + kPage; at += 2) {
    if (base::load_le<std::uint64_t>(&data[at]) == kKeys - 1) {
      base::store_le(&data[at], kClaimed - 1);
    }
  }
}

TEST(HostileStore, ClaimsMoreKeysThanItsFilesCanHold) {
  const Workshop shop;
  const Keys keys = numbered_keys(kKeys);
  const auto path = shop.at("store");
  const KeyInput input = shop.pairs(keys, keys);
  build_store(input, path, {}, Workshop::options());

  const auto data_path = test::data_file(path);
  base::Bytes data = read_file(data_path);
  claim_records(data);
  write_bytes(data_path, data);
  fuzz::FileParts index = fuzz::take_apart(read_file(path / "index.crv"));
  index.header.keys = kClaimed;
  std::erase_if(index.sections, [](const fuzz::FileSection& section) {
    return section.type == file::kSignatureSection;
  });
  for (fuzz::FileSection& section : index.sections) {
    if (section.type == file::kPhastSection) section.bytes = claiming_function();
    if (section.type != file::kEnvironmentSection) continue;
    auto described = records::EnvironmentSection::decode(section.bytes);
    described.records = kClaimed;
    described.file_hash = XXH3_64bits(data.data(), data.size());
    described.structure_hash =
        records::scan_tree(base::FileDescriptor::open_to_read(data_path), described.page_size)
            .structure_hash;
    section.bytes = described.encode();
  }
  write_bytes(path / "index.crv", fuzz::put_together(index));
  std::filesystem::rename(data_path, test::data_file(path));

  const std::string problem =
      path.string() + "/index.crv: damaged: it claims 1099511627776 keys, more than it can hold";
  EXPECT_EQ(error_of(ErrorKind::corrupt, [&] { (void)verify_keys(path, input); }), problem);
  EXPECT_EQ(error_of(ErrorKind::corrupt, [&] { verify(path); }), problem);
  EXPECT_EQ(error_of(ErrorKind::corrupt, [&] { (void)Store::open(path); }), problem);
}

}  // namespace
}  // namespace crivo::test
