// SPDX-License-Identifier: Apache-2.0
/// Bytes as the journal of a build that is to be continued, with the checksum that they would have
/// and with their own: refused, or a stream of as many partitions can go on from it, and it is
/// written again as it was read.
#include <algorithm>
#include <cstdlib>

#include "fuzz/fuzz_input.hpp"
#include "hashing/hash128.hpp"
#include "input/resume_directory.hpp"

namespace {

void read(crivo::base::ByteView bytes) {
  using namespace crivo;
  fuzz::expect_use_or_refusal([&] {
    const input::BuildJournal journal = input::decode_journal(bytes, "journal");
    for (const auto& partition : journal.logged.partitions) {
      for (const stream::Extent& extent : partition.extents) {
        if (extent.bytes > journal.logged.log_bytes) std::abort();
        if (extent.offset + extent.bytes > journal.logged.log_bytes) std::abort();
      }
    }
    if (journal.records) {
      for (const auto& run : journal.records->runs) {
        if (run.bytes > journal.records->log_bytes) std::abort();
        if (run.offset + run.bytes > journal.records->log_bytes) std::abort();
      }
    }
    if (journal.signs.size() != journal.inputs.size()) std::abort();
    if (!std::ranges::equal(input::encode(journal), bytes)) std::abort();
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace crivo;
  const fuzz::Input own(data, size);
  read(own.view());
  if (size < sizeof(Hash128)) return 0;
  const std::size_t checked = size - sizeof(Hash128);
  const fuzz::Input mended(data, size);
  const Hash128 check = hash_key(base::as_text(mended.view().first(checked)), 0);
  base::store_le(mended.writable().data() + checked, check.hi);
  base::store_le(mended.writable().data() + checked + sizeof check.hi, check.lo);
  read(mended.view());
  return 0;
}
