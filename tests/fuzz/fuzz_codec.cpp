// SPDX-License-Identifier: Apache-2.0
/// Bytes as an index's section about the codec, its checksum put right: refused, or written again
/// as they were, and the dictionary refused or made ready; what is then decoded with it stays in
/// bounds.
#include <xxhash.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "fuzz/fuzz_input.hpp"
#include "records/codec.hpp"

namespace {

/// Takes what the bytes have from any place on as a block of some records, and reads them from the
/// last on.
void read_blocks(crivo::records::BlockReader& reader, crivo::base::ByteView bytes) {
  for (const std::uint32_t records : {1U, 3U, 40U}) {
    for (std::size_t from = 0; from < std::min<std::size_t>(bytes.size(), 100); ++from) {
      if (!reader.open(bytes.subspan(from), records)) continue;
      for (std::uint32_t i = records; i-- != 0;) {
        std::string_view record;
        if (reader.read(i, record)) (void)XXH3_64bits(record.data(), record.size());
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace crivo;
  const fuzz::Input input(data, size);
  constexpr std::size_t kCheckedFrom = 16;
  if (size >= kCheckedFrom) {
    const base::ByteView checked = input.view().subspan(kCheckedFrom);
    base::store_le(input.writable().data() + 8,
                   std::uint64_t{XXH3_64bits(checked.data(), checked.size())});
  }
  fuzz::expect_use_or_refusal([&] {
    const auto section = records::CodecSection::decode(input.view());
    if (!std::ranges::equal(section.encode(), input.view())) std::abort();
    const auto codec = section.type().open(base::ByteView(section.dictionary));
    const std::uint64_t longest = std::min<std::uint64_t>(section.longest_raw, 4096);
    if (const auto reader = codec->block_reader(longest)) read_blocks(*reader, input.view());
    const auto decoder = codec->decoder(longest);
    if (decoder == nullptr) return;
    base::ByteView raw;
    for (std::size_t from = 0; from < 3; ++from) {
      const base::ByteView stored = input.view().subspan(std::min(from, size));
      if (decoder->decode(stored, raw) && raw.size() > longest) std::abort();
    }
  });
  return 0;
}
