// SPDX-License-Identifier: Apache-2.0
// Ids by the ranks of an MPHF: those that were written, and of damaged sections none of n or more.
#include "structures/dictionary/hashed_ids.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "base/sink.hpp"
#include "crivo/error.hpp"
#include "structures/dictionary/build/hashed_ids_builder.hpp"
#include "structures/phast/build/parameters.hpp"
#include "structures/phast/shape.hpp"

namespace crivo::dictionary {
namespace {

/// The hashes of n keys, whose ids are their numbers, and both sections.
struct WithSections {
  std::vector<Hash128> hashes;
  base::Bytes function;
  base::Bytes ids;

  HashedIds open() const {
    return {phast::open_phast(base::ByteView(function)), base::ByteView(ids)};
  }
};

WithSections build_ids(std::uint64_t n, unsigned signature_bits) {
  Progress progress;
  const base::BuildContext context{2, progress};
  WithSections built;
  stream::GatheredKeys<Hash128> gathered(n, nullptr);
  for (std::uint64_t i = 0; i < n; ++i) {
    built.hashes.push_back(hash_key(std::to_string(i), 0));
    gathered.writer(0).add(built.hashes.back());
  }
  gathered.finish();
  base::MemorySink function;
  const auto assembly = phast::plan_phast(phast::fast_parameters(n), n);
  crivo::build(*assembly, gathered.keys(), context, function);
  built.function = function.take();
  const auto opened = phast::open_phast(base::ByteView(built.function));
  HashedIdsBuilder builder(n, signature_bits, nullptr);
  for (std::uint64_t i = n; i-- != 0;)
    builder.add(opened->rank(built.hashes[i]), built.hashes[i], i);
  base::MemorySink ids;
  builder.finish(context, ids);
  built.ids = ids.take();
  return built;
}

/// Single lookups and a batch agree, and say nothing but ids below n.
std::vector<std::uint64_t> ask_ids(const HashedIds& ids, const std::vector<Hash128>& hashes,
                                   std::uint64_t n) {
  std::vector<std::uint64_t> batch(hashes.size());
  ids.find(hashes, batch.data());
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    EXPECT_EQ(ids.find(hashes[i]), batch[i]);
    EXPECT_TRUE(batch[i] < n || batch[i] == HashedIds::kAbsent);
  }
  return batch;
}

TEST(HashedIds, AreThoseThatWereWritten) {
  // Blocks of entries end behind 2^13 of them.
  for (const std::uint64_t n : {0U, 1U, 2U, 3U, 64U, 65U, 8191U, 8192U, 8193U, 30'000U}) {
    for (const unsigned bits : {8U, 16U}) {
      SCOPED_TRACE(n);
      const WithSections built = build_ids(n, bits);
      const HashedIds ids = built.open();
      EXPECT_EQ(ids.signature_bits(), bits);
      const std::vector<std::uint64_t> found = ask_ids(ids, built.hashes, n);
      for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(found[i], i);
      std::vector<Hash128> others(1000);
      for (std::size_t i = 0; i < others.size(); ++i)
        others[i] = hash_key("no " + std::to_string(i), 0);
      ask_ids(ids, others, n);
    }
  }
}

TEST(HashedIds, RefuseSectionsOfAnotherShape) {
  const WithSections sound = build_ids(500, 8);
  const auto refused = [&](auto&& change) {
    WithSections other = sound;
    change(other.ids);
    EXPECT_THROW((void)other.open(), Error);
  };
  refused([](base::Bytes& ids) { ids.pop_back(); });
  refused([](base::Bytes& ids) { ids.emplace_back(); });
  refused([](base::Bytes& ids) { ids.clear(); });
  refused([](base::Bytes& ids) { ids[0] ^= std::byte{1}; });
  refused([](base::Bytes& ids) { ids[8] = std::byte{9}; });
  refused([](base::Bytes& ids) { ids[8] = std::byte{16}; });
  refused([](base::Bytes& ids) { ids[15] = std::byte{1}; });
  refused([](base::Bytes& ids) { ids.back() = std::byte{1}; });
}

TEST(HashedIds, OfDamagedSectionsAreBounded) {
  std::mt19937_64 random(17);
  const std::vector<WithSections> sound{build_ids(300, 8), build_ids(1500, 16)};
  const char* const asked = std::getenv("CRIVO_DICTIONARY_MUTANTS");
  const std::uint64_t mutants = asked != nullptr ? std::strtoull(asked, nullptr, 10) : 1500;
  for (std::uint64_t i = 0; i < mutants; ++i) {
    SCOPED_TRACE(i);
    WithSections damaged = sound[i % sound.size()];
    for (std::uint64_t changes = 1 + random() % 3; changes != 0; --changes) {
      base::Bytes& bytes = random() % 2 == 0 ? damaged.ids : damaged.function;
      bytes[random() % bytes.size()] ^= static_cast<std::byte>(1 + random() % 255);
    }
    try {
      const HashedIds ids = damaged.open();
      ask_ids(ids, damaged.hashes, phast::open_phast(base::ByteView(damaged.function))->size());
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::corrupt) << error.what();
    }
  }
}

}  // namespace
}  // namespace crivo::dictionary
