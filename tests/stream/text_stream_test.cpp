// SPDX-License-Identifier: Apache-2.0
/// Texts divided, spilled, sorted and divided again, against what std::sort says.
#include "stream/text_stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/text.hpp"
#include "crivo/error.hpp"
#include "stream/text_splitters.hpp"
#include "support/errors.hpp"
#include "support/temp_directory.hpp"

namespace crivo::stream {
namespace {

using Texts = std::vector<std::string>;
using namespace std::string_literals;

constexpr std::uint64_t kAmple = std::uint64_t{1} << 30;

std::vector<std::string_view> views(const Texts& texts) {
  return {texts.begin(), texts.end()};
}

/// Texts that are hard to tell apart: of few different bytes, NUL and 0xff among them, of any
/// length, many of which begin others.
Texts alike(std::size_t count, unsigned seed) {
  static constexpr std::string_view kBytes("\0a\xff", 3);
  std::mt19937 random(seed);
  Texts texts(count);
  for (std::string& text : texts) {
    text.resize(random() % 24);
    for (char& byte : text) byte = kBytes[random() % kBytes.size()];
  }
  return texts;
}

Texts urls(std::size_t count) {
  std::mt19937 random(7);
  Texts texts(count);
  for (std::string& text : texts)
    text = "https://www.host-" + std::to_string(random() % 50) + ".example/page/" +
           std::to_string(random() % 100'000);
  return texts;
}

/// All texts of a stream, in its order; pieces of more than `most` texts are divided.
Texts all_of(const TextStream& stream, std::uint64_t most = UINT64_MAX) {
  Texts all;
  SortedTexts sorted;
  for (std::size_t piece = 0; piece != stream.pieces(); ++piece) {
    const TextStream::Size& size = stream.size(piece);
    if (stream.is_one_text(piece)) {
      all.insert(all.end(), size.texts, std::string(stream.shared(piece)));
    } else if (size.texts > most) {
      const auto divided = stream.split(piece, 4, kAmple);
      divided->finish();
      const Texts more = all_of(*divided, most);
      all.insert(all.end(), more.begin(), more.end());
    } else {
      stream.read(piece, sorted);
      EXPECT_EQ(sorted.size(), size.texts);
      for (std::size_t i = 0; i != sorted.size(); ++i)
        all.push_back(std::string(stream.shared(piece)).append(sorted.rest(i)));
    }
  }
  return all;
}

void expect_sorted(const Texts& texts, std::size_t pieces, const Texts& sample,
                   std::uint64_t memory = kAmple, std::uint64_t most = UINT64_MAX) {
  const test::TempDirectory directory;
  TextStream stream({.threads = 2, .memory_bytes = memory, .temp_dir = directory.path()},
                    TextSplitters::of_sample(views(sample), pieces));
  for (std::size_t i = 0; i != texts.size(); ++i) stream.add(i % 2, texts[i]);
  stream.finish();
  EXPECT_EQ(stream.temp_bytes() == 0, memory == kAmple);
  Texts expected = texts;
  std::ranges::sort(expected, {}, [](const std::string& text) { return std::string_view(text); });
  EXPECT_TRUE(all_of(stream, most) == expected);
}

TEST(TextSlice, IsInTheOrderOfTexts) {
  const Texts texts = alike(300, 1);
  for (const std::string& a : texts) {
    for (const std::string& b : texts) {
      const std::size_t shared = base::shared_bytes(a, b);
      const std::uint64_t slice_a = slice_at(a, shared);
      const std::uint64_t slice_b = slice_at(b, shared);
      EXPECT_EQ(slice_a < slice_b, a < b);
      EXPECT_EQ(slice_a == slice_b, a == b);
    }
  }
}

TEST(TextSlice, EndsWithTheText) {
  EXPECT_TRUE(is_last(slice_at("1234567", 0)));
  EXPECT_FALSE(is_last(slice_at("12345678", 0)));
  EXPECT_NE(slice_at("1234567", 0), slice_at("1234567\0"s, 0));
  EXPECT_EQ(slice_at("12345678", 0), slice_at("123456789", 0));
}

TEST(TextSplitters, FindAPieceAsItsBoundsSay) {
  for (unsigned seed = 0; seed != 30; ++seed) {
    const TextSplitters splitters = TextSplitters::of_sample(views(alike(seed * 7, seed)), 40);
    Texts texts = alike(400, seed + 100);
    std::ranges::sort(texts);
    std::size_t before = 0;
    for (const std::string& text : texts) {
      const std::size_t piece = splitters.piece_of(text);
      ASSERT_LT(piece, splitters.pieces());
      EXPECT_GE(piece, before);  // of sorted texts the pieces ascend
      before = piece;
      EXPECT_TRUE(text.starts_with(splitters.shared(piece)));
      EXPECT_TRUE(!splitters.is_one_text(piece) || text == splitters.shared(piece));
    }
  }
}

TEST(TextSplitters, DivideAboutEvenly) {
  const Texts texts = urls(20'000);
  const TextSplitters splitters = TextSplitters::of_sample(views(texts), 16);
  std::vector<std::size_t> sizes(splitters.pieces());
  for (const std::string& text : texts) ++sizes[splitters.piece_of(text)];
  EXPECT_EQ(splitters.pieces(), 16U);
  EXPECT_LT(*std::ranges::max_element(sizes), 2 * texts.size() / 16);
}

TEST(TextSplitters, GiveAFrequentTextAPieceOfItsOwn) {
  Texts texts = urls(1000);
  texts.insert(texts.end(), 500, "frequent");
  const TextSplitters splitters = TextSplitters::of_sample(views(texts), 8);
  const std::size_t piece = splitters.piece_of("frequent");
  EXPECT_TRUE(splitters.is_one_text(piece));
  EXPECT_EQ(splitters.piece_of("frequent\0"s), piece + 1);
  EXPECT_LT(splitters.piece_of("frequen"), piece);
}

TEST(TextStream, SortsAnyTexts) {
  expect_sorted({}, 4, {});
  expect_sorted({""}, 4, {});
  expect_sorted({"b", "", "a", "a"}, 4, {"a"});
  expect_sorted(alike(3000, 5), 1, {});
  expect_sorted(alike(3000, 5), 100, alike(500, 6));
  expect_sorted(urls(5000), 64, urls(1000));
}

TEST(TextStream, SortsTextsThatShareAlmostAll) {
  const std::string common(100'000, 'c');
  Texts texts;
  for (int i = 0; i != 40; ++i) texts.push_back(common + std::to_string(i * 17 % 40));
  texts.push_back(common);
  texts.push_back(common.substr(1));
  expect_sorted(texts, 1, {});
  expect_sorted(texts, 8, texts);
  Texts ladder;  // each begins the next
  for (std::size_t size = 0; size != 600; ++size) ladder.emplace_back(599 - size, 'x');
  expect_sorted(ladder, 1, {});
  expect_sorted(ladder, 16, ladder);
}

TEST(TextStream, SortsWhatIsSpilled) {
  expect_sorted(urls(20'000), 64, urls(1000), 100'000);
  expect_sorted(alike(20'000, 8), 64, alike(1000, 8), 100'000);
}

TEST(TextStream, DividesPiecesThatAreTooLarge) {
  Texts texts = urls(5000);
  texts.insert(texts.end(), 3000, "the same");
  for (const std::uint64_t memory : {kAmple, std::uint64_t{100'000}}) {
    expect_sorted(texts, 16, {}, memory, 100);
    expect_sorted(texts, 16, {"a", "b", "c"}, memory, 100);
  }
}

TEST(TextStream, TakesTextsFromSeveralThreads) {
  const test::TempDirectory directory;
  const Texts texts = urls(6000);
  TextStream stream({.threads = 3, .memory_bytes = 200'000, .temp_dir = directory.path()},
                    TextSplitters::of_sample(views(texts), 32));
  std::vector<std::thread> threads;
  for (unsigned t = 0; t != 3; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < texts.size(); i += 3) stream.add(t, texts[i]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  stream.finish();
  Texts expected = texts;
  std::ranges::sort(expected);
  EXPECT_TRUE(all_of(stream) == expected);
}

TEST(SortedTexts, RefusesWhatIsNoEntry) {
  SortedTexts texts;
  for (const std::string& entries : {"\x05only"s, "\x80"s, "\xff\xff\xff\xff\xff\x01"s}) {
    texts.clear();
    (void)test::error_of(ErrorKind::corrupt, [&] { texts.add(base::as_bytes(entries)); });
  }
}

TEST(SortedTexts, KeepsLengthsThatTakeSeveralBytes) {
  SortedTexts texts;
  for (const std::size_t size : {0U, 127U, 128U, 16'383U, 16'384U, 1U << 20}) {
    const std::string text(size, 't');
    base::Bytes entry(SortedTexts::entry_size(size));
    SortedTexts::write_entry(entry.data(), text);
    texts.clear();
    texts.add(entry);
    ASSERT_EQ(texts.size(), 1U);
    EXPECT_TRUE(texts.rest(0) == text);
  }
}

}  // namespace
}  // namespace crivo::stream
