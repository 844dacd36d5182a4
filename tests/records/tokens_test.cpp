// SPDX-License-Identifier: Apache-2.0
// Texts come back from tokens, dictionaries save space, and hostile bytes do no harm.

#include "records/tokens.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "records/build/encoding.hpp"
#include "records/build/record_encoder.hpp"
#include "records/build/token_matcher.hpp"
#include "records/unit.hpp"
#include "store_fixture.hpp"
#include "support/sizes.hpp"

namespace crivo::records {
namespace {

// Texts one after the other, as a sample.
struct Texts {
  base::Bytes bytes;
  std::vector<std::size_t> sizes;

  void add(std::string_view text) {
    const base::ByteView view = base::as_bytes(text);
    bytes.insert(bytes.end(), view.begin(), view.end());
    sizes.push_back(text.size());
  }
  UnitSample sample() const { return {bytes, sizes}; }
};

Texts record_texts(std::size_t count, std::uint64_t seed = 1) {
  Texts texts;
  for (const auto& [key, record] : test::text_records(count, seed)) texts.add(key + record);
  return texts;
}

// Texts that are hard in one way or another.
std::vector<std::string> adversaries() {
  std::mt19937_64 random(11);
  std::vector<std::string> texts{
      "", "a", "ab", std::string(1, '\0'), std::string(1000, '\0'), std::string("a\0b\0\0c", 6)};
  for (const std::size_t size : {2, 3, 15, 16, 17, 31, 32, 33, 255, 256, 4095, 4096, 1 << 20}) {
    texts.push_back(test::random_bytes(random, size));
    texts.emplace_back(size, 'a');
    std::string words;
    while (words.size() < size) words += "status ok, page " + std::to_string(random() % 100);
    texts.push_back(words.substr(0, size));
    std::string few;  // of four letters, which tokens overlap in
    while (few.size() < size) few += static_cast<char>('a' + random() % 4);
    texts.push_back(few);
  }
  std::string every(256, '\0');
  for (std::size_t i = 0; i < 256; ++i) every[i] = static_cast<char>(i);
  texts.push_back(every + every);
  return texts;
}

class Tokens : public testing::TestWithParam<unsigned> {};

TEST_P(Tokens, EveryTextThatShrinksComesBack) {
  const std::vector<std::string> texts = adversaries();
  Texts own;
  for (const std::string& text : texts) own.add(text);
  const std::vector<base::Bytes> dictionaries = {
      {},
      train_tokens(record_texts(2000).sample(), 100, GetParam()),
      train_tokens(own.sample(), 1, GetParam())};
  for (const base::Bytes& dictionary : dictionaries) {
    const auto codec = open_tokens(base::ByteView(dictionary), GetParam());
    const auto encoding = open_token_encoding(dictionary, GetParam());
    const auto encoder = encoding->encoder();
    // Once with room to spare, once with none.
    const auto decoder = codec->decoder(1 << 20);
    for (const std::string& text : texts) {
      base::Bytes stored(1);
      if (!encoder->encode(base::as_bytes(text), stored)) {
        EXPECT_EQ(stored.size(), 1U);
        continue;
      }
      EXPECT_LT(stored.size() - 1, text.size());
      const base::ByteView bytes = base::ByteView(stored).subspan(1);
      base::ByteView back;
      ASSERT_TRUE(decoder->decode(bytes, back));
      ASSERT_TRUE(base::as_text(back) == text);
      const auto tight = codec->decoder(text.size());
      ASSERT_TRUE(tight->decode(bytes, back));
      ASSERT_TRUE(base::as_text(back) == text);
      ASSERT_FALSE(codec->decoder(text.size() - 1)->decode(bytes, back));
    }
  }
}

TEST_P(Tokens, TrainingSavesSpaceOnOtherTexts) {
  const Texts texts = record_texts(20'000);
  const base::Bytes dictionary = train_tokens(texts.sample(), 100, GetParam());
  EXPECT_LE(dictionary.size(), longest_token_dictionary(GetParam()));
  EXPECT_EQ(train_tokens(texts.sample(), 100, GetParam()), dictionary);  // deterministic
  const auto encoding = open_token_encoding(dictionary, GetParam());
  const auto encoder = encoding->encoder();
  const Texts others = record_texts(2000, 9);
  base::Bytes stored;
  std::size_t raw = 0;
  base::ByteView rest = others.bytes;
  for (const std::size_t size : others.sizes) {
    if (size < 200 && encoder->encode(rest.first(size), stored)) raw += size;
    rest = rest.subspan(size);
  }
  EXPECT_LT(stored.size(), raw * 3 / 10);
}

// A dictionary is as long as the records are worth it.
TEST_P(Tokens, ADictionaryIsWeighedByWhatItSaves) {
  const Texts few = record_texts(50);
  const std::size_t alone = train_tokens(few.sample(), 1, GetParam()).size();
  EXPECT_LT(alone, few.bytes.size() / 4);
  EXPECT_LT(alone, train_tokens(few.sample(), 1000, GetParam()).size());
  EXPECT_TRUE(train_tokens({}, 1, GetParam()).empty());
}

TEST_P(Tokens, HostileBytesAreRefusedOrDecodedWithinBounds) {
  const base::Bytes dictionary = train_tokens(record_texts(3000).sample(), 10, GetParam());
  const auto codec = open_tokens(base::ByteView(dictionary), GetParam());
  std::mt19937_64 random(12);
  for (const std::size_t longest : {1, 16, 300, 5000}) {
    const auto decoder = codec->decoder(longest);
    for (int i = 0; i < 5000; ++i) {
      const std::string stored = test::random_bytes(random, random() % 1000);
      base::ByteView raw;
      if (decoder->decode(base::as_bytes(stored), raw)) {
        ASSERT_LE(raw.size(), longest);
      }
    }
  }
}

// Pages of a dictionary, of which one may be damaged.
class Pages final : public base::PageChecks {
 public:
  explicit Pages(base::ByteView bytes, std::uint64_t damaged = UINT64_MAX)
      : PageChecks(bytes, Where::in_memory), damaged_(damaged) {}

  static std::uint64_t of(std::uint64_t bytes) { return (bytes + kPage - 1) / kPage; }
  std::uint64_t read() const { return read_; }
  static constexpr std::uint64_t kPage = std::uint64_t{1} << kPageBits;

 private:
  bool is_sound(std::uint64_t page) const noexcept override {
    ++read_;
    return page != damaged_;
  }

  std::uint64_t damaged_;
  mutable std::uint64_t read_ = 0;
};

class TokensByPages : public Tokens {
 protected:
  TokensByPages() {
    const auto encoding = open_token_encoding(dictionary_, GetParam());
    const auto encoder = encoding->encoder();
    for (const auto& [key, record] : test::text_records(2000, 1)) {
      base::Bytes stored;
      if (encoder->encode(base::as_bytes(key + record), stored))
        units_.emplace_back(key + record, std::move(stored));
    }
  }
  // What every open reads.
  std::uint64_t front_pages() const {
    return Pages::of(4 + (base::load_le<std::uint32_t>(dictionary_.data()) + 127) / 128 * 2);
  }

  const base::Bytes dictionary_ = train_tokens(record_texts(20'000).sample(), 1000, GetParam());
  std::vector<std::pair<std::string, base::Bytes>> units_;
};

TEST_P(TokensByPages, AreReadAsUnitsNeedThem) {
  const std::uint64_t all = Pages::of(dictionary_.size());
  const Pages pages(dictionary_);
  const auto codec = open_tokens({dictionary_, &pages}, GetParam());
  EXPECT_EQ(pages.read(), front_pages());
  const auto decoder = codec->decoder(1 << 20);
  const auto decodes = [&](std::size_t i) {
    base::ByteView raw;
    return decoder->decode(units_[i].second, raw) && base::as_text(raw) == units_[i].first;
  };
  EXPECT_TRUE(decodes(0));
  EXPECT_LT(pages.read(), all);
  for (std::size_t i = 0; i < units_.size(); ++i) ASSERT_TRUE(decodes(i));
  EXPECT_EQ(pages.read(), all) << "before long all are there";
}

TEST_P(TokensByPages, DamageIsOfTheUnitsThatItIsIn) {
  for (std::uint64_t page = 0; page < Pages::of(dictionary_.size()); ++page) {
    const Pages pages(dictionary_, page);
    if (page < front_pages()) {
      const auto open = [&] { open_tokens({dictionary_, &pages}, GetParam()); };
      EXPECT_EQ(test::error_of(open).first, ErrorKind::corrupt);
      continue;
    }
    const auto codec = open_tokens({dictionary_, &pages}, GetParam());
    const auto decoder = codec->decoder(1 << 20);
    std::size_t sound = 0;
    for (const auto& [text, stored] : units_) {
      base::ByteView raw;
      if (!decoder->decode(stored, raw)) continue;
      ASSERT_TRUE(base::as_text(raw) == text);
      ++sound;
    }
    EXPECT_LT(sound, units_.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Bits, Tokens, testing::Values(12U, 16U));
INSTANTIATE_TEST_SUITE_P(Bits, TokensByPages, testing::Values(12U, 16U));

TEST(Tokens12, RefusesLengthsAndBitsThatNoneHave) {
  const auto codec = open_tokens({}, 12);
  const auto decoder = codec->decoder(100);
  base::ByteView raw;
  const auto decodes = [&](std::string_view bytes) {
    return decoder->decode(base::as_bytes(bytes), raw);
  };
  using namespace std::string_view_literals;
  EXPECT_TRUE(decodes("\x61\x20\x06"sv));
  EXPECT_EQ(base::as_text(raw), "ab");
  EXPECT_TRUE(decodes("\x61\x00"sv));
  EXPECT_EQ(base::as_text(raw), "a");
  EXPECT_FALSE(decodes("\x61"sv));
  EXPECT_FALSE(decodes("\x61\x20\x06\x61"sv));
  EXPECT_FALSE(decodes("\x61\x10"sv));      // four bits over, not zero
  EXPECT_FALSE(decodes("\x61\x11\x06"sv));  // token 256 + 'a', which there is not
  EXPECT_FALSE(open_tokens({}, 16)->decoder(100)->decode(base::as_bytes("abc"), raw));
}

TEST(TokenList, ItsBytesAreReadBackOrRefused) {
  TokenList tokens;
  EXPECT_TRUE(tokens.encode().empty());
  for (const std::string_view text : {"ab", "0123456789abcdef", "http://"}) {
    tokens.add(base::as_bytes(text));
  }
  const base::Bytes bytes = tokens.encode();
  ASSERT_EQ(bytes.size(), 4U + 2U + 2U + 2U + 16U + 7U);
  EXPECT_EQ(TokenList::decode(bytes, 4096).encode(), bytes);
  EXPECT_EQ(base::as_text(TokenList::decode(bytes, 4096).text(257)), "0123456789abcdef");
  const auto refused = [](base::ByteView dictionary, std::size_t most) {
    return test::error_of([&] { TokenList::decode(dictionary, most); }).first == ErrorKind::corrupt;
  };
  EXPECT_TRUE(refused(bytes, 258));
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    EXPECT_TRUE(refused(base::ByteView(bytes).first(size), 4096)) << size;
  }
  base::Bytes longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_TRUE(refused(longer, 4096));
  for (const auto& [at, byte] :
       {std::pair(0, 0), std::pair(4, 26), std::pair(6, 0xf0), std::pair(7, 0x16)}) {
    base::Bytes damaged = bytes;
    damaged[static_cast<std::size_t>(at)] = static_cast<std::byte>(byte);
    EXPECT_TRUE(refused(damaged, 4096)) << at;
    EXPECT_EQ(test::error_of([&] { open_tokens(base::ByteView(damaged), 12); }).first,
              ErrorKind::corrupt)
        << at;
  }
  for (int i = 0; i < 1000; ++i) tokens.add(base::as_bytes("token " + std::to_string(i)));
  EXPECT_EQ(TokenList::decode(tokens.encode(), 4096).encode(), tokens.encode());
}

// The example of formats/tokens.md.
TEST(TokenList, MakesWhatTheSpecificationShows) {
  using namespace std::string_view_literals;
  TokenList tokens;
  for (const std::string_view text : {"http://", ".example/", "\"ok\""}) {
    tokens.add(base::as_bytes(text));
  }
  const base::Bytes dictionary = tokens.encode();
  EXPECT_EQ(base::as_text(dictionary), "\x03\0\0\0\x16\0\x86\x03http://.example/\"ok\""sv);
  const auto unit = [&](unsigned bits) {
    const auto encoding = open_token_encoding(dictionary, bits);
    base::Bytes stored;
    const std::string key = "http://a.example/";
    UnitWriter(*encoding).append(5, static_cast<std::uint32_t>(key.size()),
                                 base::as_bytes(key + R"({"ok"})"), stored);
    return std::string(base::as_text(stored));
  };
  EXPECT_EQ(unit(12), "\xce\x1a\x97\x7d\x23\0\x11\x06\x01\xb1\x07\x02\xd1\x07"sv);
  EXPECT_EQ(unit(16), "\x17\x25\xf8\x99\x23\0\x01\x61\0\x01\x01\x7b\0\x02\x01\x7d\0"sv);
}

// Against every token tried.
TEST(TokenMatcher, FindsTheLongest) {
  std::mt19937_64 random(13);
  TokenMatcher matcher;
  std::vector<std::string> tokens;
  while (tokens.size() < 3000) {
    std::string text;
    for (std::size_t size = 2 + random() % 15; text.size() < size;) {
      text += static_cast<char>('a' + random() % 3);
    }
    const bool is_new = std::find(tokens.begin(), tokens.end(), text) == tokens.end();
    ASSERT_EQ(matcher.insert(base::as_bytes(text), static_cast<std::uint32_t>(tokens.size())),
              is_new);
    if (is_new) tokens.push_back(text);
  }
  for (int i = 0; i < 2000 / test::kFewer; ++i) {
    std::string text;
    for (std::size_t size = 1 + random() % 20; text.size() < size;) {
      text += static_cast<char>('a' + random() % 3);
    }
    for (const std::size_t below : {kMaxToken + 1, std::size_t{5}}) {
      std::size_t longest = 1;
      for (const std::string& token : tokens) {
        if (token.size() < below && text.starts_with(token)) {
          longest = std::max(longest, token.size());
        }
      }
      const TokenMatcher::Match match = matcher.longest(base::as_bytes(text), below);
      ASSERT_EQ(match.size, longest);
      if (longest > 1) {
        ASSERT_EQ(tokens[match.token], text.substr(0, longest));
      }
    }
  }
}

}  // namespace
}  // namespace crivo::records
