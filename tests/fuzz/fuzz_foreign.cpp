// SPDX-License-Identifier: Apache-2.0
/// Bytes as a file in each of the formats of others: an error or answers, and nothing read beyond
/// the end.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "crivo/error.hpp"
#include "foreign/build/parquet_pages.hpp"
#include "foreign/clubcard_file.hpp"
#include "foreign/fingerprint_filter.hpp"
#include "foreign/parquet_file.hpp"
#include "foreign/puffin_file.hpp"
#include "fuzz/fuzz_input.hpp"

namespace {

using namespace crivo;
using namespace crivo::foreign;

constexpr std::array<std::string_view, 3> kSerials{"\1", "\2\3", "a serial number"};

template <typename Read>
void expect_corrupt(const Read& read, bool may_refuse = false) {
  try {
    read();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::corrupt && !(may_refuse && error.kind() == ErrorKind::usage))
      std::abort();
  }
}

void ask_clubcard(base::ByteView bytes) {
  const ClubcardFile file(bytes, "bytes");
  for (const ClubcardIssuer& block : file.issuers()) {
    if (file.find(block.issuer) != &block) std::abort();
    for (const std::string_view serial : kSerials) (void)file.contains(block, serial);
  }
  for (const ClubcardCoverage& each : file.coverage())
    if (file.covers(each.log, each.low) != (each.low <= each.high)) std::abort();
}

void ask_fingerprints(base::ByteView bytes) {
  const auto shape = read_shape(bytes, bytes.size());
  if (!shape) return;
  const base::ByteView fingerprints = bytes.subspan(head_bytes(shape->layout));
  if (fingerprints.size() < shape->slots() * shape->bytes) std::abort();
  for (std::uint64_t key = 0; key < 100; ++key)
    (void)contains(*shape, fingerprints, key << 32 | key);
}

/// Reads all that an export reads; what is not read is Error(usage).
void read_parquet(base::ByteView bytes) {
  const parquet::File file(bytes, "bytes");
  (void)file.filtered_columns();
  for (std::size_t group = 0; group < file.row_groups().size(); ++group) {
    for (std::size_t column = 0; column < file.columns().size(); ++column) {
      const parquet::Chunk chunk = file.chunk(group, column);
      if (chunk.filter && file.filter(chunk).size() % 32 != 0) std::abort();
      std::size_t read = 0;
      parquet::for_each_value(file, file.columns()[column], chunk,
                              [&](std::string_view value) { read += value.size() + 1; });
      if (read > std::size_t{1} << 40) std::abort();  // so that it is read
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  const base::ByteView bytes = input.view();
  expect_corrupt([&] { ask_clubcard(bytes); });
  expect_corrupt([&] {
    for (const ClubcardIndex::Entry& entry : read_clubcard_index(bytes, "bytes").entries)
      if (entry.clubcard > bytes.size()) std::abort();
  });
  ask_fingerprints(bytes);
  expect_corrupt([&] { read_parquet(bytes); }, true);
  expect_corrupt(
      [&] {
        for (const puffin::Blob& blob : puffin::read_blobs(bytes, "bytes"))
          if (blob.bytes.size() > bytes.size()) std::abort();
      },
      true);
  return 0;
}
