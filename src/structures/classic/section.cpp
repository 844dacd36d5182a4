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

void SectionHeader::write(base::Sink& sink) const {
  base::FieldWriter fields;
  fields.u64(keys).u64(entries).u32(salt).u32(pattern_salt);
  fields.u8(static_cast<std::uint8_t>(range)).u8(arity).u8(width).zeros(5);
  sink.append(fields.view());
}

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

void check_keys(std::uint64_t keys) {
  if (keys <= kMaxKeys) return;
  throw Error(ErrorKind::usage, "this algorithm can index at most " + std::to_string(kMaxKeys) +
                                    " keys, not " + std::to_string(keys));
}

void fail_attempts(std::string_view what, std::uint64_t keys, std::uint64_t attempts) {
  throw Error(ErrorKind::bad_input,
              std::string(what) + " was found for the " + std::to_string(keys) + " keys in " +
                  std::to_string(attempts) + " attempts; try another seed",
              {.remedy = "seed"});
}

std::unique_ptr<const mphf::Function> empty_function() {
  return std::make_unique<EmptyFunction>();
}

void write_entries(std::span<const std::uint32_t> entries, base::Sink& sink) {
  std::array<std::byte, 1 << 14> bytes;
  constexpr std::size_t kStep = bytes.size() / sizeof(std::uint32_t);
  while (!entries.empty()) {
    const auto step = entries.first(std::min(kStep, entries.size()));
    for (std::size_t i = 0; i < step.size(); ++i) {
      base::store_le(bytes.data() + i * sizeof(std::uint32_t), step[i]);
    }
    sink.append(base::ByteView(bytes).first(step.size() * sizeof(std::uint32_t)));
    entries = entries.subspan(step.size());
  }
}

}  // namespace crivo::classic
