// SPDX-License-Identifier: Apache-2.0
// Compressed input is detected by its first bytes.

#include "input/compression.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "input/input_bytes.hpp"
#include "input/input_files.hpp"

namespace crivo::input {
namespace {

using namespace std::string_view_literals;

const std::pair<Compression, std::string_view> kHeads[] = {
    {Compression::gzip, "\x1f\x8b\x08"sv},
    {Compression::zstd, "\x28\xb5\x2f\xfd"sv},
    {Compression::zstd, "\x5f\x2a\x4d\x18"sv},
    {Compression::xz, "\xfd\x37zXZ\0"sv},
    {Compression::bzip2, "BZh9\x31\x41\x59\x26\x53\x59"sv},
    {Compression::bzip2, "BZh1\x17\x72\x45\x38\x50\x90"sv},
    {Compression::lz4, "\x04\x22\x4d\x18"sv},
    {Compression::lz4, "\x02\x21\x4c\x18"sv},
    {Compression::lzip, "LZIP\1"sv},
    {Compression::lzop, "\x89LZO\0\r\n\x1a\n"sv},
    {Compression::compress, "\x1f\x9d\x90"sv},
    {Compression::zip, "PK\3\4"sv},
    {Compression::zip, "PK\5\6"sv},
    {Compression::seven_zip, "7z\xbc\xaf\x27\x1c"sv},
    {Compression::rar, "Rar!\x1a\x07\x01\0"sv},
};

/// A whole magic number is seen whatever follows, and with one bit changed it is text.
TEST(DetectCompression, ByTheWholeMagicNumber) {
  for (const auto& [compression, head] : kHeads) {
    const std::string whole = std::string(head) + "and more";
    EXPECT_EQ(detect_compression(whole, false), compression);
    EXPECT_EQ(detect_compression(head, true), compression);
    const std::size_t fixed = std::min<std::size_t>(head.size(), 6);
    for (std::size_t i = 0; i < fixed; ++i) {
      std::string other = whole;
      other[i] = static_cast<char>(other[i] ^ 0x40);
      EXPECT_EQ(detect_compression(other, false), Compression::none) << head << ' ' << i;
    }
  }
}

/// As long as the bytes may become a magic number there is no answer; a line's end is one, and so
/// is the end of the input.
TEST(DetectCompression, WaitsForNoMoreThanItNeeds) {
  EXPECT_EQ(detect_compression({}, false), std::nullopt);
  EXPECT_EQ(detect_compression({}, true), Compression::none);
  for (const auto& [compression, head] : kHeads) {
    for (std::size_t size = 1; size < head.size(); ++size) {
      const std::string begun(head.substr(0, size));
      const auto detected = detect_compression(begun, false);
      EXPECT_TRUE(!detected || *detected == compression) << head << ' ' << size;
      if (detected) continue;
      EXPECT_EQ(detect_compression(begun, true), Compression::none);
      EXPECT_EQ(detect_compression(begun + "\n", false), Compression::none) << head << ' ' << size;
    }
  }
  for (const std::string_view text :
       {"a"sv, "\n"sv, "B\n"sv, "PK\n"sv, "BZh9\n"sv, "BZh9 is text"sv,
        "BZh0\x31\x41\x59\x26\x53\x59"sv, "PKZIP"sv, "LZIP 1.0"sv, "7zip\n"sv, "Rarity"sv}) {
    EXPECT_EQ(detect_compression(text, false), Compression::none) << text;
  }
}

TEST(OpenSource, RefusesByName) {
  const InputFiles files;
  for (const auto& [compression, head] : kHeads) {
    if (is_read(compression)) continue;
    const std::string path = files.write("keys", std::string(head) + "rest");
    for (const unsigned threads : {1U, 2U}) {
      const std::string error = error_of(ErrorKind::bad_input, [&] { hash({path}, threads); });
      EXPECT_TRUE(error.starts_with(path + ": is ")) << error;
      EXPECT_NE(error.find("which Crivo does not read; decompress it first, for example "),
                std::string::npos);
    }
    const FilledPipe pipe(files,
                          {std::string(head.substr(0, 1)), std::string(head.substr(1)), "."});
    error_of(ErrorKind::bad_input, [&] { hash({pipe.path()}); });
  }
  const std::string path = files.write("keys.lz4", "\x04\x22\x4d\x18");
  EXPECT_EQ(error_of(ErrorKind::bad_input, [&] { hash({path}); }),
            path +
                ": is lz4-compressed, which Crivo does not read; decompress it first, for example "
                "lz4 -dc FILE | "
                "crivo ... -");
}

}  // namespace
}  // namespace crivo::input
