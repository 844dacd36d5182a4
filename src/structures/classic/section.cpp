// SPDX-License-Identifier: Apache-2.0
#include "structures/classic/section.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "crivo/error.hpp"

namespace crivo::classic {
namespace {

class EmptyFunction final : public mphf::Function {
 public:
  std::uint64_t size() const noexcept override { return 0; }
  std::uint64_t rank(Hash128) const noexcept override { return 0; }
  void ranks(std::span<const Hash128> hashes, std::uint64_t* ranks) const noexcept override {
    std::fill_n(ranks, hashes.size(), std::uint64_t{0});
  }
};

}  // namespace

SectionHeader SectionHeader::read(base::FieldReader& reader) {
  SectionHeader header;
  header.keys = reader.u64();
  header.entries = reader.u64();
  header.salt = reader.u32();
  header.pattern_salt = reader.u32();
  const std::uint8_t range = reader.u8();
  header.arity = reader.u8();
  header.width = reader.u8();
  reader.zeros(5);
  if (header.keys > kMaxKeys) reader.fail("the number of keys is out of range");
  if (header.entries > UINT32_MAX) reader.fail("the number of entries is out of range");
  if (range >= kRanges) reader.fail("the range reduction is unknown");
  header.range = Range{range};
  return header;
}

bool SectionHeader::has_graph(const base::FieldReader& reader) const {
  if (pattern_salt != 0) reader.fail("a reserved field is not zero");
  if (keys == 0 && entries != 0) reader.fail("there are vertices, and no keys");
  if (keys != 0 && entries < arity) reader.fail("the number of vertices is out of range");
  return keys != 0;
}

void SectionHeader::expect_mphf(const base::FieldReader& reader) const {
  if (width != 0) reader.fail("a reserved field is not zero");
}

std::vector<Parameter> SectionHeader::parameters(std::string entry_name) const {
  return {{std::move(entry_name), entries},
          {"attempts", std::uint64_t{salt} + 1},
          {"unbiased", range == Range::unbiased}};
}

std::unique_ptr<const mphf::Function> empty_function() {
  return std::make_unique<EmptyFunction>();
}

}  // namespace crivo::classic
