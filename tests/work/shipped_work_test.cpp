// SPDX-License-Identifier: Apache-2.0
// The same of what is changed, put together, signed and sent: stores, manifests, chains, signatures
// and published sets.

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "crivo/build/build.hpp"
#include "crivo/build/edit.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/build/shards.hpp"
#include "crivo/build/ship.hpp"
#include "crivo/error.hpp"
#include "crivo/filter.hpp"
#include "crivo/open.hpp"
#include "crivo/store.hpp"
#include "support/signing_key.hpp"
#include "work/counted_work.hpp"

namespace crivo {
namespace {

class ShippedWork : public WorkTest {
 protected:
  /// A file of so many keys, beginning at one that no other call has.
  void build_next(const std::string& name, std::size_t keys) {
    std::string lines;
    for (std::size_t i = 0; i != keys; ++i) lines += std::to_string(next_key_++) + '\n';
    write("input", lines);
    build_filter(input(), at(name), {.fpr = 0.01}, options());
  }
  std::filesystem::path fresh(const std::string& name) const {
    std::filesystem::remove_all(at(name));
    return at(name);
  }
  Trust trust() const { return {.keys = {PublicKey::parse(test::kPublicKey)}}; }
  std::filesystem::path secret_key() const {
    write("key", test::kSecretKey);
    return at("key");
  }

 private:
  std::size_t next_key_ = 0;
};

std::string pairs(std::size_t count) {
  std::string lines;
  for (std::size_t i = 0; i != count; ++i) lines += std::to_string(i) + "\trecord\n";
  return lines;
}

/// An LMDB environment as input, and each record of a store set anew.
TEST_F(ShippedWork, OfAnEnvironment) {
  for (const bool reads : {true, false}) {
    expect_linear(
        3'000,
        [&](std::size_t size) {
          write("input", pairs(size));
          build_store(input(), fresh("store"), {.codec = "none"}, options());
        },
        [&] {
          if (reads) {
            for (const auto& entry : std::filesystem::directory_iterator(at("store")))
              if (entry.path().extension() == ".mdb")
                build_filter(lmdb_entries(entry.path()), at("out"), {}, options());
          } else {
            set_records(at("store"), input());
          }
        });
  }
}

TEST_F(ShippedWork, OfAManifest) {
  std::vector<std::filesystem::path> parts;
  expect_linear(
      4,
      [&](std::size_t shards) {
        write("input", numbers(1'000 * shards));
        const auto dealt = fresh("dealt");
        partition_keys(input(), dealt, {.shards = shards, .numbers = false}, options());
        finish_partition(dealt, options());
        parts.clear();
        for (std::size_t i = 0; i != shards; ++i) {
          parts.push_back(at("part" + std::to_string(i)));
          build_filter_part(dealt, {i, shards}, parts.back(), {}, options());
        }
      },
      [&] {
        write_manifest(parts, at("manifest"), options());
        EXPECT_TRUE(Filter::open(at("manifest")).contains("0"));
      });
}

TEST_F(ShippedWork, OfAChain) {
  std::vector<std::filesystem::path> deltas;
  expect_linear(
      3,
      [&](std::size_t layers) {
        build_next("base", 100);
        std::filesystem::copy_file(at("base"), at("chain"),
                                   std::filesystem::copy_options::overwrite_existing);
        deltas.clear();
        for (std::size_t i = 0; i != layers; ++i) {
          write("input", "delta " + std::to_string(i) + '\n');
          deltas.push_back(at("delta" + std::to_string(i)));
          const std::filesystem::path before = i == 0 ? at("base") : at("chain");
          build_filter_delta(before, input(), deltas.back(), {.fpr = 0.01}, options());
          apply_deltas(at("base"), deltas, at("chain"), {.replace = true});
        }
      },
      [&] {
        apply_deltas(at("base"), deltas, at("chain"), {.replace = true});
        EXPECT_TRUE(Filter::open(at("chain")).contains("delta 0"));
        squash_deltas(deltas, at("squashed"), true);
      });
}

TEST_F(ShippedWork, OfASignedFile) {
  expect_linear(
      20'000,
      [&](std::size_t size) {
        write("input", numbers(size));
        build_filter(input(), at("out"), {}, options());
      },
      [&] {
        sign(at("out"), {.secret_key = secret_key(), .replace = true});
        EXPECT_TRUE(Filter::open(at("out"), {.trust = trust()}).contains("0"));
      });
}

/// A signature of any length: no more of it is read than one may have.
TEST_F(ShippedWork, OfASignature) {
  build_next("out", 100);
  sign(at("out"), {.secret_key = secret_key()});
  for (const std::size_t size : {1U << 20, 1U << 22, 1U << 24}) {
    write("out.minisig", std::string(size, 'x'));
    const Work checking =
        work_of([&] { EXPECT_THROW((void)Filter::open(at("out"), {.trust = trust()}), Error); });
    EXPECT_LT(checking.allocated_bytes, kAny) << size;
    EXPECT_LT(checking.moved_bytes, kAny) << size;
  }
}

TEST_F(ShippedWork, OfAPublishedSet) {
  expect_linear(
      20,
      [&](std::size_t files) {
        const auto set = fresh("set");
        std::filesystem::create_directory(set);
        for (std::size_t i = 0; i != files; ++i)
          write("set/" + std::to_string(i), std::to_string(i));
        publish({set}, fresh("site"), {.secret_key = secret_key()});
      },
      [&] {
        const auto site = Site::of_directory(at("site"));
        const FetchSummary fetched = fetch(*site, fresh("here"), trust());
        EXPECT_EQ(fetched.fetched, fetched.files);
      });
}

/// Sends far more of each file than is asked for, until it is told to stop.
class EndlessSite final : public Site {
 public:
  EndlessSite(const std::filesystem::path& site, std::string endless)
      : Site("endless"), site_(of_directory(site)), endless_(std::move(endless)) {}

  void read(const std::string& name, std::uint64_t most, const Take& take) override {
    site_->read(name, most, take);
    if (!name.starts_with(endless_)) return;
    const std::vector<std::byte> some(1 << 16);
    for (std::uint64_t i = 0; i != kMostPieces; ++i) {
      ++sent_;
      take(some);
    }
  }
  std::uint64_t sent_bytes() const noexcept { return sent_ << 16; }

 private:
  static constexpr std::uint64_t kMostPieces = 1 << 10;

  std::unique_ptr<Site> site_;
  std::string endless_;
  std::uint64_t sent_ = 0;
};

TEST_F(ShippedWork, OfASiteWithoutEnd) {
  write("file", "of a few bytes");
  publish({at("file")}, at("site"), {.secret_key = secret_key()});
  for (const char* const endless : {"current", "contents", "files"}) {
    const auto here = fresh("here");
    EndlessSite site(at("site"), endless);
    const Work fetching = work_of([&] { EXPECT_THROW((void)fetch(site, here, trust()), Error); });
    EXPECT_LT(fetching.allocated_bytes, 4 * kAny) << endless;
    EXPECT_LT(site.sent_bytes(), kAny) << endless;
  }
}

}  // namespace
}  // namespace crivo
