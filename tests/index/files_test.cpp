// SPDX-License-Identifier: Apache-2.0
// What building, opening, inspecting and verifying refuse.

#include <gtest/gtest.h>

#include <thread>

#include "crivo/build/edit.hpp"
#include "crivo/build/reproduce.hpp"
#include "crivo/filter.hpp"
#include "crivo/inspect.hpp"
#include "crivo/map.hpp"
#include "crivo/mphf.hpp"
#include "crivo/store.hpp"
#include "file/container.hpp"
#include "file/section_types.hpp"
#include "index/key_sets.hpp"
#include "support/read_file.hpp"
#include "support/stores.hpp"

namespace crivo::test {
namespace {

class Files : public testing::Test {
 protected:
  /// An MPHF, a filter and a store over the same keys.
  void build_all() {
    build_mphf(shop_.input(keys_), mphf_, {}, Workshop::options());
    build_filter(shop_.input(keys_), filter_, {.bits = 16}, Workshop::options());
    build_store(shop_.pairs(keys_, keys_), store_, {}, Workshop::options());
  }
  std::string bytes_of(const std::filesystem::path& path) const { return text_of(path); }

  const Workshop shop_;
  const Keys keys_ = numbered_keys(500);
  const std::filesystem::path mphf_ = shop_.at("keys.mphf");
  const std::filesystem::path filter_ = shop_.at("keys.filter");
  const std::filesystem::path store_ = shop_.at("keys.store");
};

TEST_F(Files, OfAnotherKind) {
  build_all();
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { (void)Mphf::open(filter_); }),
            filter_.string() + ": is a filter, not an MPHF");
  error_of(ErrorKind::usage, [&] { (void)Filter::open(mphf_); });
  error_of(ErrorKind::usage, [&] { (void)Mphf::open(store_ / "index.crv"); });
  error_of(ErrorKind::usage, [&] { (void)Store::open(mphf_); });
  error_of(ErrorKind::usage, [&] { (void)inspect(store_ / "index.crv"); });
  error_of(ErrorKind::io, [&] { (void)Store::open(shop_.at("none")); });
  error_of(ErrorKind::io, [&] { (void)Mphf::open(shop_.at("none")); });
  error_of(ErrorKind::corrupt, [&] { (void)Mphf::open(shop_.at("keys")); });
}

TEST_F(Files, Inspect) {
  build_all();
  const FileInfo mphf = inspect(mphf_);
  EXPECT_EQ(mphf.kind, "mphf");
  EXPECT_EQ(mphf.algorithm, "fast");
  EXPECT_EQ(mphf.keys, 500U);
  EXPECT_EQ(mphf.bytes, std::filesystem::file_size(mphf_));
  EXPECT_FALSE(mphf.fpr);
  EXPECT_EQ(mphf.format_version, "0.1");
  EXPECT_EQ(inspect(filter_).algorithm, "ribbon");
  EXPECT_EQ(inspect(filter_).fpr, 1.0 / 65536);
  EXPECT_EQ(inspect(store_).kind, "store");
  EXPECT_EQ(inspect(store_).fpr, 0);
  EXPECT_EQ(inspect(store_).signature_bits, 16U);
  EXPECT_EQ(inspect(store_).bytes, std::filesystem::file_size(store_ / "index.crv") +
                                       std::filesystem::file_size(test::data_file(store_)));
}

/// Metadata is free text: a rate that is none is not told.
TEST_F(Files, InspectTakesNoOtherTextForARate) {
  build_all();
  const auto out = shop_.at("rewritten");
  const auto asked = [&](const std::string& text) {
    const file::Container container = file::Container::open(filter_);
    file::PendingFile pending(file::OutputTarget::file(out, file::IfExists::replace));
    file::ContainerWriter writer(pending);
    writer.begin_section(file::kRibbonSection)
        .append(container.require(file::kRibbonSection, "the"));
    writer.finish(container.header(), {{"crivo.fpr", text}});
    (void)pending.publish();
    return inspect(out).asked_fpr;
  };
  EXPECT_EQ(asked("0.25"), 0.25);
  EXPECT_EQ(asked("1e-05"), 1e-5);
  for (const char* const none : {"", "x", "0.25x", "0.25 ", "1e999"}) EXPECT_FALSE(asked(none));
}

TEST_F(Files, VerifyTheirOwnKeys) {
  build_all();
  for (const auto& path : {mphf_, filter_}) {
    verify(path);
    EXPECT_EQ(verify_keys(path, shop_.input(keys_), {.resources = {.threads = 2}}), 500U);
  }
  verify(store_);
  EXPECT_EQ(verify_keys(store_, shop_.pairs(keys_, keys_), {.resources = {.threads = 2}}), 500U);
}

TEST_F(Files, VerifyOtherKeys) {
  build_all();
  Keys fewer(keys_.begin(), keys_.end() - 1);
  Keys other = fewer;
  other.push_back("foreign");
  EXPECT_EQ(error_of(ErrorKind::mismatch, [&] { verify_keys(mphf_, shop_.input(fewer)); }),
            mphf_.string() + ": was built over 500 keys, and 499 distinct ones were given");
  // Some key of the set and the foreign one share a rank; either may be named.
  EXPECT_NE(error_of(ErrorKind::mismatch,
                     [&] { verify_keys(mphf_, shop_.input(other), {.resources = {.threads = 2}}); })
                .find("shares its rank with another key, so it is not in the set"),
            std::string::npos);
  EXPECT_EQ(verify_keys(filter_, shop_.input(fewer)), 499U);  // a filter cannot tell
  EXPECT_EQ(error_of(ErrorKind::mismatch, [&] { verify_keys(filter_, shop_.input(other)); }),
            filter_.string() + ": the key \"foreign\" (" + shop_.at("keys").string() +
                ": key 500) is not in the filter");
  EXPECT_EQ(error_of(ErrorKind::mismatch, [&] { verify_keys(store_, shop_.pairs(fewer, fewer)); }),
            store_.string() + ": holds 500 records, and 499 distinct keys were given");
  EXPECT_EQ(error_of(ErrorKind::mismatch, [&] { verify_keys(store_, shop_.pairs(other, other)); }),
            store_.string() + ": there is no record for the key \"foreign\"");
  Keys records = keys_;
  records[3] += "!";
  EXPECT_EQ(
      error_of(ErrorKind::mismatch, [&] { verify_keys(store_, shop_.pairs(keys_, records)); }),
      store_.string() + ": the record of \"" + keys_[3] + "\" differs");
}

/// What was opened first is what is verified, whatever takes its name meanwhile.
TEST_F(Files, ReplacedWhileTheyAreVerified) {
  build_all();
  const KeyInput keys = shop_.input(keys_);
  const KeyInput pairs = shop_.pairs(keys_, keys_);
  const auto other = shop_.at("other");
  const auto bloom = shop_.at("keys.bloom");
  // Of 16 MiB, so that there is time to replace it.
  const FilterOptions large{.type = "bloom", .bits = 8, .capacity = 1U << 24};
  build_filter(keys, bloom, large, Workshop::options());
  const auto verify_replaced = [&](const std::filesystem::path& path, const KeyInput& input) {
    Progress progress;
    const std::jthread replacer([&](const std::stop_token& stop) {
      while (progress.done() == 0 && !stop.stop_requested()) std::this_thread::yield();
      std::filesystem::rename(path, shop_.at("before"));
      std::filesystem::rename(other, path);
    });
    EXPECT_EQ(verify_keys(path, input, {.resources = {.threads = 2, .progress = &progress}}), 500U);
  };
  build_filter(shop_.input({"other"}, "others"), other, large, Workshop::options());
  verify_replaced(bloom, keys);
  std::filesystem::remove(shop_.at("before"));
  build_store(shop_.write("records", "other\trecord\n", {}), other, {}, Workshop::options());
  verify_replaced(store_, pairs);
}

/// The name of the algorithm is metadata, which anyone may have written.
TEST_F(Files, VerifyReadsTheMetadata) {
  build_all();
  const auto out = shop_.at("rewritten");
  {
    const file::Container container = file::Container::open(mphf_);
    file::PendingFile pending(file::OutputTarget::file(out, file::IfExists::replace));
    file::ContainerWriter writer(pending);
    writer.begin_section(file::kPhastSection).append(container.require(file::kPhastSection, "the"));
    writer.finish(container.header(), {{"name", "\xff"}});
    (void)pending.publish();
  }
  const std::string problem = out.string() + ": metadata: holds what is not UTF-8";
  EXPECT_EQ(error_of(ErrorKind::corrupt, [&] { verify(out); }), problem);
  EXPECT_EQ(error_of(ErrorKind::corrupt, [&] { (void)inspect(out); }), problem);
}

TEST_F(Files, VerifyFindsDamage) {
  build_all();
  for (const auto& path : {mphf_, filter_, store_ / "index.crv", test::data_file(store_)}) {
    std::string bytes = bytes_of(path);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    std::ofstream(path, std::ios::binary) << bytes;
    const auto whole = path.parent_path() == store_ ? store_ : path;
    error_of(ErrorKind::corrupt, [&] { verify(whole); });
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    std::ofstream(path, std::ios::binary) << bytes;
    verify(whole);
  }
}

/// The first of the chunks that are damaged is named, whichever thread finds it.
TEST_F(Files, VerifyFindsDamageOnThreads) {
  build_filter(shop_.input(keys_), filter_, {.type = "bloom", .capacity = 1'000'000},
               Workshop::options());
  std::string bytes = bytes_of(filter_);
  ASSERT_GT(bytes.size(), 4 * file::layout::kChunkBytes);
  for (const std::size_t place : {bytes.size() / 3, bytes.size() / 2})
    bytes[place] = static_cast<char>(bytes[place] ^ 1);
  std::ofstream(filter_, std::ios::binary) << bytes;
  const std::string first = error_of(ErrorKind::corrupt, [&] { verify(filter_, {.threads = 1}); });
  EXPECT_NE(first.find("chunk 7 of"), std::string::npos) << first;
  EXPECT_NE(first.find("the first of 2 such chunks"), std::string::npos) << first;
  EXPECT_EQ(error_of(ErrorKind::corrupt, [&] { verify(filter_, {.threads = 3}); }), first);
}

/// The number of keys that a header names is that of its structure.
TEST_F(Files, HeadersThatDisagreeWithTheirSection) {
  build_all();
  for (const auto& [path, kind, type] :
       {std::tuple{mphf_, file::Kind::mphf, file::kPhastSection},
        std::tuple{filter_, file::Kind::filter, file::kRibbonSection}}) {
    const auto rewrite = [&, from = path, of_kind = kind, section = type](std::uint64_t keys) {
      const file::Container container = file::Container::open(from);
      const auto out = shop_.at("rewritten");
      file::PendingFile pending(file::OutputTarget::file(out, file::IfExists::replace));
      file::ContainerWriter writer(pending);
      writer.begin_section(section).append(container.require(section, "the"));
      writer.finish({.kind = of_kind, .keys = keys}, {});
      (void)pending.publish();
      return out;
    };
    EXPECT_EQ(inspect(rewrite(500)).keys, 500U);
    for (const std::uint64_t keys : {0U, 499U, 501U}) {
      EXPECT_NE(
          error_of(ErrorKind::corrupt, [&] { (void)inspect(rewrite(keys)); }).find("disagree on n"),
          std::string::npos);
    }
  }
}

/// The seeds' hashes are for the seeds' functions alone, XXH64 for one type of filter.
TEST_F(Files, HeadersThatDisagreeOnTheKeyHash) {
  build_all();
  const auto out = shop_.at("rewritten");
  const auto problem_of = [&](const std::filesystem::path& path, std::uint32_t type,
                              hashing::KeyHashId hash) {
    const file::Container container = file::Container::open(path);
    file::PendingFile pending(file::OutputTarget::file(out, file::IfExists::replace));
    file::ContainerWriter writer(pending);
    writer.begin_section(type).append(container.require(type, "the"));
    file::Header header = container.header();
    header.key_hash = hash;
    writer.finish(header, {});
    (void)pending.publish();
    return error_of(ErrorKind::corrupt, [&] { verify(out); });
  };
  for (const hashing::KeyHashId hash :
       {hashing::KeyHashId::universal, hashing::KeyHashId::jenkins}) {
    const std::string problem =
        out.string() + ": damaged: the header and the MPHF disagree on the key hash function";
    EXPECT_EQ(problem_of(mphf_, file::kPhastSection, hash), problem);
    EXPECT_EQ(error_of(ErrorKind::corrupt, [&] { (void)Mphf::open(out); }), problem);
  }
  EXPECT_EQ(
      problem_of(filter_, file::kRibbonSection, hashing::KeyHashId::xxh64),
      out.string() + ": damaged: the header and the filter disagree on the key hash function");
}

/// A part of a sharded build is described and verified like any file, but answers no keys.
TEST_F(Files, PartsAnswerNoKeys) {
  build_all();
  const auto part = shop_.at("part");
  {
    const file::Container container = file::Container::open(mphf_);
    file::PendingFile pending(file::OutputTarget::file(part, file::IfExists::replace));
    file::ContainerWriter writer(pending);
    writer.begin_section(file::kPhastSection).append(container.require(file::kPhastSection, "the"));
    file::Header header = container.header();
    header.kind = file::Kind::part;
    writer.finish(header, {});
    (void)pending.publish();
  }
  verify(part);
  const FileInfo info = inspect(part);
  EXPECT_EQ(info.kind, "part");
  EXPECT_EQ(info.algorithm, "");
  EXPECT_EQ(info.build_id, inspect(mphf_).build_id);
  ASSERT_EQ(info.sections.size(), 1U);
  EXPECT_EQ(info.sections[0].name, "phast");
  const std::string problem =
      part.string() + ": a part of a build in shards; merge the parts first";
  const auto expect_refused = [&](auto&& use) {
    EXPECT_EQ(error_of(ErrorKind::usage, use), problem);
  };
  expect_refused([&] { (void)Mphf::open(part); });
  expect_refused([&] { (void)Map::open(part); });
  expect_refused([&] { (void)Filter::open(part); });
  expect_refused([&] { (void)verify_keys(part, shop_.input(keys_)); });
  expect_refused([&] { (void)add_to_filter(part, shop_.input(keys_)); });
  std::filesystem::copy_file(part, store_ / "index.crv",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(
      error_of(ErrorKind::usage, [&] { (void)Store::open(store_); }),
      (store_ / "index.crv").string() + ": a part of a build in shards; merge the parts first");
}

/// The parts of two builds are not taken for one store.
TEST_F(Files, StoresOfMixedParts) {
  build_all();
  build_store(shop_.pairs(keys_, Keys(500, "other")), shop_.at("second"), {}, Workshop::options());
  std::filesystem::copy_file(test::data_file(shop_.at("second")), test::data_file(store_),
                             std::filesystem::copy_options::overwrite_existing);
  error_of(ErrorKind::corrupt, [&] { (void)Store::open(store_); });
}

TEST_F(Files, SameBytesFromAnyThreadsAndOrder) {
  build_all();
  const std::string mphf = bytes_of(mphf_);
  const std::string filter = bytes_of(filter_);
  const std::string index = bytes_of(store_ / "index.crv");
  const std::string data = bytes_of(test::data_file(store_));
  const Keys reversed(keys_.rbegin(), keys_.rend());
  for (const unsigned threads : {1U, 3U}) {
    const BuildOptions options = Workshop::options(threads);
    build_mphf(shop_.input(reversed), mphf_, {}, options);
    build_filter(shop_.input(reversed), filter_, {.bits = 16}, options);
    build_store(shop_.pairs(reversed, reversed), store_, {}, options);
    EXPECT_TRUE(bytes_of(mphf_) == mphf);
    EXPECT_TRUE(bytes_of(filter_) == filter);
    EXPECT_TRUE(bytes_of(store_ / "index.crv") == index);
    EXPECT_TRUE(bytes_of(test::data_file(store_)) == data);
  }
}

TEST_F(Files, OptionsThatMakeNoSense) {
  const KeyInput input = shop_.input(keys_);
  const auto out = shop_.at("out");
  error_of(ErrorKind::usage, [&] { build_mphf(input, out, {.algorithm = "none"}); });
  error_of(ErrorKind::usage, [&] { build_mphf(input, out, {.signature_bits = 12}); });
  error_of(ErrorKind::usage, [&] { build_store(input, out, {.signature_bits = 0}); });
  error_of(ErrorKind::usage, [&] { build_filter(input, out, {.type = "none"}); });
  for (const double bits : {0.0, 7.5, 33.0}) {
    error_of(ErrorKind::usage, [&] { build_filter(input, out, {.bits = bits}); });
  }
  for (const double fpr : {1.0, 0.0, -0.5, 1e-10}) {
    error_of(ErrorKind::usage, [&] { build_filter(input, out, {.fpr = fpr}); });
  }
  error_of(ErrorKind::usage, [&] { build_filter(input, out, {.fpr = 0.1, .bits = 8}); });
  error_of(ErrorKind::usage, [&] { build_filter(input, out, {.hashes = 3}); });
  error_of(ErrorKind::usage, [&] { build_filter(input, out, {.semi_sorted = true}); });
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST_F(Files, OutputsAreReplacedOnlyWhereAsked) {
  build_all();
  const std::string before = bytes_of(mphf_);
  error_of(ErrorKind::usage, [&] { build_mphf(shop_.input({"a"}), mphf_); });
  error_of(ErrorKind::usage, [&] { build_store(shop_.pairs({"a"}, {"b"}), store_); });
  error_of(ErrorKind::bad_input, [&] {
    build_mphf(shop_.input({"a", "a"}), mphf_, {}, Workshop::options());
  });
  EXPECT_TRUE(bytes_of(mphf_) == before);
}

TEST_F(Files, DuplicatesIgnoredWhereAsked) {
  BuildOptions options = Workshop::options();
  options.ignore_duplicates = true;
  EXPECT_EQ(build_mphf(shop_.input({"a", "b", "a"}), mphf_, {}, options).duplicates, 1U);
  EXPECT_EQ(build_store(shop_.pairs({"a", "b", "a"}, {"1", "2", "3"}), store_, {}, options).keys,
            2U);
  const Store store = Store::open(store_);
  EXPECT_EQ(Store::Reader(store).find("a").status, Store::Status::found);
  Store::Reader reader(store);
  EXPECT_EQ(reader.find("a").record, "1");  // the first
}

}  // namespace
}  // namespace crivo::test
