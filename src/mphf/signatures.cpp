#include "mphf/signatures.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace crivo::mphf {
namespace {

constexpr std::uint64_t kHeaderBytes = 64;

}  // namespace

Signatures::Signatures(file::ByteView section, std::uint64_t keys) {
  file::FieldReader r(section, "signatures");
  bits_ = r.u32();
  r.zeros(4);
  const std::uint64_t count = r.u64();
  r.zeros(kHeaderBytes - 16);
  if (bits_ != 8 && bits_ != 16 && bits_ != 32) r.fail("their width is not 8, 16 or 32 bits");
  if (count != keys || r.remaining() / (bits_ / 8) != count || r.remaining() % (bits_ / 8) != 0) {
    r.fail("their number is not that of the keys");
  }
  data_ = r.take(r.remaining()).data();
}

void write_signatures(const stream::KeySource& hashes, const Function& function, unsigned bits,
                      const util::BuildContext& context, file::Sink& sink) {
  sink.append(
      file::FieldWriter().u32(bits).u32(0).u64(hashes.size()).zeros(kHeaderBytes - 16).view());
  constexpr std::size_t kBlock = 256;
  const std::uint64_t width = bits / 8;
  file::Bytes signatures(hashes.size() * width);
  context.progress.begin("signatures", hashes.size());
  hashes.for_each({}, context, [&](const stream::KeySlice& keys) {
    std::array<std::uint64_t, kBlock> ranks{};
    for (std::size_t begin = 0; begin < keys.hashes.size(); begin += kBlock) {
      const auto block = keys.hashes.subspan(begin, std::min(kBlock, keys.hashes.size() - begin));
      function.ranks(block, ranks.data());
      for (std::size_t i = 0; i < block.size(); ++i) {
        std::array<std::byte, 8> top{};
        file::store_le(top.data(), block[i].lo >> (64 - bits));
        std::copy_n(top.begin(), width, signatures.data() + ranks[i] * width);
      }
    }
    context.progress.add(keys.size());
  });
  sink.append(signatures);
}

}  // namespace crivo::mphf
