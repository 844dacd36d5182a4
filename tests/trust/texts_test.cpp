// SPDX-License-Identifier: Apache-2.0
/// The texts of keys, signatures and comments. tests/cli/test_sign.py compares them with
/// minisign's.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "crivo/open.hpp"
#include "file/trust/key_file.hpp"
#include "file/trust/libcrypto.hpp"
#include "file/trust/signature_file.hpp"
#include "ship/secret_key.hpp"
#include "support/errors.hpp"

namespace crivo::trust {
namespace {

TEST(Base64, HasOneTextForBytes) {
  for (const auto& [plain, text] : {std::pair{"", ""},
                                    {"f", "Zg=="},
                                    {"fo", "Zm8="},
                                    {"foo", "Zm9v"},
                                    {"foob", "Zm9vYg=="},
                                    {"fooba", "Zm9vYmE="}}) {
    EXPECT_EQ(to_base64(base::as_bytes(plain)), text);
  }
  std::mt19937_64 random(64);
  for (std::size_t size = 0; size < 40; ++size) {
    base::Bytes bytes(size);
    for (std::byte& b : bytes) b = static_cast<std::byte>(random());
    const std::string text = to_base64(bytes);
    base::Bytes read(size);
    ASSERT_TRUE(from_base64(text, read));
    ASSERT_EQ(read, bytes);
    // No other text of this length, in one character, is of the same bytes.
    for (std::size_t at = 0; at < text.size(); ++at) {
      for (int c = 0; c < 256; ++c) {
        std::string other = text;
        other[at] = static_cast<char>(c);
        if (other == text) continue;
        ASSERT_FALSE(from_base64(other, read) && read == bytes);
      }
    }
    EXPECT_FALSE(from_base64(text + "=", read));
    EXPECT_FALSE(from_base64(text + "AAAA", read));
  }
  base::Bytes one(1);
  for (const char* text : {"Zh==", "Zg=A", "Z===", "Zg= ", "Zg", "Zg==\n"})
    EXPECT_FALSE(from_base64(text, one)) << text;
}

TEST(Times, AreReadAndWritten) {
  EXPECT_EQ(time_text(parse_time("2026-12-07")), "2026-12-07T00:00Z");
  EXPECT_EQ(parse_time("2026-12-07T04:40Z").time_since_epoch().count(), 1796618400);
  for (const char* text : {"1970-01-01T00:00Z", "2028-02-29T23:59:59Z", "9999-12-31T23:59Z",
                           "0000-01-01T00:00Z", "2027-01-31T09:05:07Z"}) {
    EXPECT_EQ(time_text(parse_time(text)), text);
  }
  for (const char* text : {"", "2026", "2026-12-7", "2026-13-01", "2027-02-29", "2026-12-07T24:00Z",
                           "2026-12-07T04:60Z", "2026-12-07T04:40:60Z", "2026-12-07 04:40Z",
                           "2026-12-07T04:40", "2026-12-07T04:40+01:00", "x026-12-07"}) {
    (void)test::error_of(ErrorKind::usage, [&] { (void)parse_time(text); });
  }
}

TEST(Statement, IsReadAgainAsItIsWritten) {
  Statement statement{.bytes = 5};
  EXPECT_EQ(comment_of(statement), "crivo 1 bytes=5");
  EXPECT_EQ(parse_comment("crivo 1 bytes=5", "x"), statement);
  statement.root.emplace();
  statement.root->fill(std::byte{0xa0});
  statement.records = statement.root;
  statement.sequence = ~std::uint64_t{0};
  statement.expires = parse_time("2026-12-07T04:40Z");
  EXPECT_EQ(parse_comment(comment_of(statement), "x"), statement);
  EXPECT_EQ(parse_comment("crivo 1 sequence=3 bytes=5", "x")->sequence, 3U);
  EXPECT_FALSE(parse_comment("", "x"));
  EXPECT_FALSE(parse_comment("crivo", "x"));
}

/// libsodium's tests and minisign's default.
TEST(SecretKey, CostIsLibsodiums) {
  const auto cost = [](std::uint64_t operations, std::uint64_t memory) {
    const ScryptCost is = scrypt_cost(operations, memory);
    return std::array<std::uint64_t, 3>{is.n, is.r, is.p};
  };
  using Cost = std::array<std::uint64_t, 3>;
  EXPECT_EQ(cost(33554432, 1073741824), (Cost{1 << 20, 8, 1}));
  EXPECT_EQ(cost(524288, 16777216), (Cost{1 << 14, 8, 1}));
  EXPECT_EQ(cost(1, 16777216), (Cost{1 << 10, 8, 1}));
  EXPECT_EQ(cost(1 << 22, 16777216), (Cost{1 << 14, 8, 8}));
  EXPECT_EQ(cost(~std::uint64_t{0}, 1024), (Cost{2, 8, 0x7ffffff}));
  EXPECT_EQ(cost(~std::uint64_t{0}, ~std::uint64_t{0})[0], std::uint64_t{1} << 53);
}

/// RFC 8032, section 7.1, test 2.
/// A signature of the neutral point and 0 fits every message where the key is the neutral point.
TEST(Ed25519, HasNoWeakKeys) {
  trust::Ed25519Key key{std::byte{1}};
  trust::Ed25519Signature signature{std::byte{1}};
  EXPECT_TRUE(trust::has_small_order(key));
  try {
    EXPECT_FALSE(trust::is_signed(base::as_bytes("any message"), signature, key));
    const trust::Ed25519Key seed{std::byte{7}};
    EXPECT_FALSE(trust::has_small_order(trust::public_key_of(seed)));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);  // a build without libcrypto
  }
  key.back() = std::byte{0x80};  // the other sign
  EXPECT_TRUE(trust::has_small_order(key));
  key.fill(std::byte{0xff});
  key.front() = std::byte{0xed};
  EXPECT_TRUE(trust::has_small_order(key));
  key.front() = std::byte{0xeb};
  EXPECT_FALSE(trust::has_small_order(key));
  const std::string weak = "RWQAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
  EXPECT_THROW((void)PublicKey::parse(weak), Error);
}

TEST(Ed25519, HasItsVector) {
  Ed25519Key seed{};
  ASSERT_TRUE(from_base64("TM0Imyj/ltqdtsNG7BFOD1uKMZ81q6Yk2oz27U+4pvs=", seed));
  const Ed25519Key key = public_key_of(seed);
  EXPECT_EQ(to_base64(key), "PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=");
  const base::Bytes message{std::byte{0x72}};
  Ed25519Signature signature = sign(message, seed);
  EXPECT_EQ(to_base64(signature),
            "kqAJqfDUyrhyDoILX2QlQKKye1QWUD+Ps3YiI+vbadoIWsHkPhWZbkWPNhPQ"
            "8R2MOHsurrQwKu6wDSkWErsMAA==");
  EXPECT_TRUE(is_signed(message, signature, key));
  EXPECT_FALSE(is_signed({}, signature, key));
  signature[40] ^= std::byte{1};
  EXPECT_FALSE(is_signed(message, signature, key));
}

}  // namespace
}  // namespace crivo::trust
