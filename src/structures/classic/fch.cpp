// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <vector>

#include "structures/classic/blocks.hpp"
#include "structures/classic/fch_mapping.hpp"
#include "structures/classic/functions.hpp"
#include "structures/classic/section.hpp"

namespace crivo::classic {
namespace {

class FchFunction final : public mphf::Function {
 public:
  FchFunction(const SectionHeader& header, base::FieldReader& reader)
      : header_(header),
        keys_(static_cast<std::uint32_t>(header.keys)),
        salt_(header.salt),
        pattern_salt_(header.pattern_salt),
        mapping_(header.range, keys_, static_cast<std::uint32_t>(header.entries)),
        h20_(header.range, keys_),
        g_(reader, header.entries) {}

  std::uint64_t size() const noexcept override { return keys_; }
  std::vector<Parameter> parameters() const override {
    std::vector<Parameter> all = header_.parameters("buckets");
    all.push_back({"patterns", std::uint64_t{pattern_salt_} + 1});
    return all;
  }

  std::uint64_t rank(Hash128 hash) const noexcept override { return resolve(locate(hash)); }

  void ranks(std::span<const Hash128> hashes, std::uint64_t* ranks) const noexcept override {
    resolve_in_blocks(
        hashes, ranks,
        [this](Hash128 hash) {
          const Place place = locate(hash);
          g_.prefetch(place.bucket);
          return place;
        },
        [this](const Place& place) { return resolve(place); });
  }

 private:
  struct Place {
    std::uint32_t bucket;
    std::uint32_t pattern;
  };

  Place locate(Hash128 hash) const noexcept {
    return {mapping_.bucket(words(hash, salt_)[0]), h20_(words(hash, pattern_salt_)[1])};
  }

  std::uint64_t resolve(const Place& place) const noexcept {
    return (std::uint64_t{place.pattern} + g_[place.bucket]) % keys_;
  }

  SectionHeader header_;
  std::uint32_t keys_;
  std::uint32_t salt_;
  std::uint32_t pattern_salt_;
  FchMapping mapping_;
  Reduction h20_;
  Table g_;
};

}  // namespace

std::unique_ptr<const mphf::Function> open_fch(base::ByteView section) {
  base::FieldReader reader(section, "mphf section");
  const SectionHeader header = SectionHeader::read(reader);
  header.expect_mphf(reader);
  if (header.arity != 0) reader.fail("a reserved field is not zero");
  std::unique_ptr<const mphf::Function> function;
  if (header.keys == 0) {
    if (header.entries != 0) reader.fail("there are buckets, and no keys");
    function = empty_function();
  } else {
    if (header.entries < 4) reader.fail("the number of buckets is out of range");
    function = std::make_unique<FchFunction>(header, reader);
  }
  reader.expect_end();
  return function;
}

}  // namespace crivo::classic
