// SPDX-License-Identifier: Apache-2.0
// Compressed files of every kind, whole, damaged and cut short, from files and pipes.

#include "input/input_bytes.hpp"

#include <gtest/gtest.h>

#include <random>

#include "input/input_files.hpp"
#include "support/compressed.hpp"

namespace crivo::input {
namespace {

std::string text(std::size_t lines) {
  std::mt19937_64 random(lines);
  std::string bytes;
  for (std::size_t i = 0; i < lines; ++i) bytes += std::to_string(random()) + "\n";
  return bytes;
}

struct Decoded {
  std::string bytes;
  Compression compression;
  std::uint64_t consumed;
};

/// Reads in steps of an odd size, to the end and once more.
Decoded decode(const std::string& path, std::size_t step = 4093) {
  InputFile file(path);
  const OpenedBytes opened = open_bytes(file);
  Decoded decoded{{}, opened.compression, 0};
  std::string room(step, '\0');
  while (const std::size_t got = opened.bytes->read(room)) decoded.bytes.append(room, 0, got);
  EXPECT_EQ(opened.bytes->read(room), 0U);
  decoded.consumed = opened.bytes->consumed();
  return decoded;
}

/// A format, and what makes it.
struct Format {
  const char* name;
  Compression compression;
  std::string (*compress)(std::string_view bytes);
  std::size_t magic_bytes;
};

constexpr Format kFormats[] = {
    {"gzip", Compression::gzip, [](std::string_view bytes) { return test::gzip(bytes); }, 3},
    {"zstd", Compression::zstd, test::zstd, 4},
    {"xz", Compression::xz, [](std::string_view bytes) { return test::xz(bytes); }, 6},
    {"bzip2", Compression::bzip2, test::bzip2, 10},
};

class Compressed : public testing::TestWithParam<Format> {
 protected:
  std::string compress(std::string_view bytes) const { return GetParam().compress(bytes); }
  void expect_decodes(const std::string& encoded, const std::string& expected,
                      std::size_t step = 4093) const {
    const Decoded decoded = decode(files_.write("keys", encoded), step);
    EXPECT_TRUE(decoded.bytes == expected);
    EXPECT_EQ(decoded.compression, GetParam().compression);
    EXPECT_EQ(decoded.consumed, encoded.size());
  }
  InputFiles files_;
};

TEST_P(Compressed, OneStream) {
  for (const std::size_t lines : {0U, 1U, 100U, 50'000U}) {
    expect_decodes(compress(text(lines)), text(lines));
  }
  expect_decodes(compress("a\nb\n"), "a\nb\n", 1);
  expect_decodes(compress(std::string(5 << 20, 'z')), std::string(5 << 20, 'z'));
}

TEST_P(Compressed, SeveralStreamsAreOne) {
  expect_decodes(compress("a\n") + compress("") + compress(text(30'000)) + compress("b"),
                 "a\n" + text(30'000) + "b");
  std::string encoded;
  std::string expected;
  for (int i = 0; i < 3000; ++i) {
    encoded += compress(std::to_string(i) + "\n");
    expected += std::to_string(i) + "\n";
  }
  expect_decodes(encoded, expected);
}

TEST_P(Compressed, CutShortAnywhere) {
  const std::string encoded = compress(text(20));
  const std::string name = GetParam().name;
  for (std::size_t size = GetParam().magic_bytes; size < encoded.size(); ++size) {
    const std::string path = files_.write("keys", encoded.substr(0, size));
    EXPECT_EQ(error_of(ErrorKind::bad_input, [&] { decode(path); }),
              path + ": the " + name + " data is cut short")
        << size;
  }
  const std::string path = files_.write("keys", compress("a\n") + encoded.substr(0, 9));
  error_of(ErrorKind::bad_input, [&] { decode(path); });
}

TEST_P(Compressed, DamagedInside) {
  const std::string good = text(2000);
  const std::string encoded = compress(good);
  for (std::size_t at = encoded.size() / 3; at < encoded.size(); at += encoded.size() / 7) {
    std::string bad = encoded;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    const std::string path = files_.write("keys", bad);
    EXPECT_TRUE(error_of(ErrorKind::bad_input, [&] {
                  decode(path);
                }).starts_with(path + ": the " + GetParam().name + " data is damaged near byte "));
  }
}

TEST_P(Compressed, FollowedBySomethingElse) {
  const std::string whole = compress("a\n");
  const std::string end = std::to_string(whole.size());
  for (const std::string_view behind : {"p", "plain\n"}) {
    const std::string path = files_.write("keys", whole + std::string(behind));
    EXPECT_EQ(error_of(ErrorKind::bad_input, [&] { decode(path); }),
              path + ": the " + GetParam().name + " data is whole and ends at byte " + end +
                  ", but something else follows; cut it off, for example head -c " + end + " FILE");
  }
}

TEST_P(Compressed, ThroughAPipe) {
  const std::string encoded = compress(text(20'000));
  const FilledPipe pipe(files_, {encoded.substr(0, 1), encoded.substr(1, 2),
                                 encoded.substr(3, 5000), encoded.substr(5003)});
  const Decoded decoded = decode(pipe.path());
  EXPECT_TRUE(decoded.bytes == text(20'000));
  EXPECT_EQ(decoded.compression, GetParam().compression);
}

/// Standard input, in a child process, which must not share this one's.
TEST_P(Compressed, OnStandardInput) {
  const std::string path = files_.write("keys", compress("a\nb\nc\n"));
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        const int fd = ::open(path.c_str(), O_RDONLY);
        ::dup2(fd, STDIN_FILENO);
        const HashedKeys hashed = hash({"-"}, 2);
        std::_Exit(hashed.collected == 3 && hashed.hashes.size() == 3 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

/// Two compressed files and a plain one are one sequence of keys.
TEST_P(Compressed, MixedWithPlainFiles) {
  const Strings paths{files_.write("1", compress("a\nb")), files_.write("2", "c\n"),
                      files_.write("3", compress("d\n"))};
  EXPECT_EQ(keys_of(cut_keys(paths, {}, {})), (Strings{"a", "b", "c", "d"}));
  EXPECT_EQ(hash(paths, 3).collected, 4U);
}

TEST_P(Compressed, FaultsAreNamedByTheirDecodedLine) {
  const std::string path = files_.write("keys", compress(text(70'000) + "\nx\n"));
  for (const unsigned threads : {1U, 2U}) {
    EXPECT_EQ(error_of(ErrorKind::bad_input, [&] { hash({path}, threads); }),
              path + ":70001: the key is empty; remove the line, or allow empty keys");
  }
}

/// A damaged file decodes to anything; what is wrong with that is not what the user must hear. The
/// checksum that tells may come long after the fault, and after another file was begun.
TEST_P(Compressed, DamageComesBeforeWhatItMadeOfTheText) {
  const std::string whole = compress("a\n\nb\n" + text(200'000));
  std::string bad = whole;
  bad[bad.size() - 6] = static_cast<char>(bad[bad.size() - 6] ^ 1);  // of the checksums at the end
  const std::string cut = whole.substr(0, whole.size() - 1);
  const Strings bad_paths{files_.write("bad", bad), files_.write("more", text(10))};
  for (const unsigned threads : {1U, 3U}) {
    EXPECT_TRUE(error_of(ErrorKind::bad_input, [&] {
                  hash(bad_paths, threads);
                }).starts_with(bad_paths[0] + ": the " + GetParam().name + " data is damaged "));
    const std::string path = files_.write("cut", cut);
    EXPECT_EQ(error_of(ErrorKind::bad_input, [&] { hash({path}, threads); }),
              path + ": the " + GetParam().name + " data is cut short");
  }
  const FilledPipe pipe(files_, {bad});
  EXPECT_TRUE(error_of(ErrorKind::bad_input, [&] {
                hash({pipe.path()});
              }).starts_with(pipe.path() + ": the " + GetParam().name + " data is damaged "));
  const std::string sound = files_.write("sound", whole);
  EXPECT_TRUE(error_of(ErrorKind::bad_input, [&] {
                hash({sound});
              }).starts_with(sound + ":2: the key is empty; remove the line, or allow empty keys"));
}

/// The same where the units cannot even be cut.
TEST_P(Compressed, DamageComesBeforeAKeyTooLong) {
  std::string bad = compress(std::string(3 << 20, 'k') + "\n" + text(100));
  bad.pop_back();
  const std::string path = files_.write("bad", bad);
  for (const unsigned threads : {1U, 2U}) {
    EXPECT_EQ(error_of(ErrorKind::bad_input, [&] { hash({path}, threads); }),
              path + ": the " + GetParam().name + " data is cut short");
  }
}

TEST_P(Compressed, ByteByByteThroughAPipe) {
  const std::string encoded = compress("a\nb\n") + compress("c\n");
  Strings bytes;
  for (const char c : encoded) bytes.emplace_back(1, c);
  const FilledPipe pipe(files_, bytes);
  EXPECT_EQ(decode(pipe.path()).bytes, "a\nb\nc\n");
}

/// What was written is decoded though the stream goes on.
TEST_P(Compressed, HandsOutWhatIsThere) {
  const std::string first = compress("a\nb\n");
  const SlowPipe pipe(files_);
  InputFile file(pipe.path());
  pipe.write(first);
  const OpenedBytes opened = open_bytes(file);
  std::string room(1, '\0');
  std::string got;
  while (got.size() < 4 && opened.bytes->read(room) == 1) got += room;
  EXPECT_EQ(got, "a\nb\n");
  pipe.write(compress("c\n"));
  EXPECT_EQ(opened.bytes->read(room), 1U);
  EXPECT_EQ(room, "c");
}

INSTANTIATE_TEST_SUITE_P(Every, Compressed, testing::ValuesIn(kFormats),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(Gzip, PaddedWithZeros) {
  const InputFiles files;
  const std::string zeros(700'000, '\0');
  EXPECT_EQ(decode(files.write("one", test::gzip("a\n") + '\0')).bytes, "a\n");
  EXPECT_EQ(decode(files.write("tape", test::gzip("a\n") + zeros)).bytes, "a\n");
  EXPECT_EQ(decode(files.write("two", test::gzip("a\n") + zeros + test::gzip("b\n"))).bytes,
            "a\nb\n");
  const std::string path = files.write("garbage", test::gzip("a\n") + zeros + "b\n");
  EXPECT_TRUE(error_of(ErrorKind::bad_input, [&] {
                decode(path);
              }).starts_with(path + ": the gzip data is whole and ends at byte 7000"));
}

/// As `xz -t` has it: in fours.
TEST(Xz, PaddedWithZeros) {
  const InputFiles files;
  const std::string zeros(400'000, '\0');
  EXPECT_EQ(decode(files.write("two", test::xz("a\n") + zeros + test::xz("b\n") + zeros)).bytes,
            "a\nb\n");
  const std::string path = files.write("odd", test::xz("a\n") + zeros + '\0');
  EXPECT_NE(error_of(ErrorKind::bad_input, [&] { decode(path); }).find("padding of an odd size"),
            std::string::npos);
}

TEST(Xz, EveryCheck) {
  const InputFiles files;
  for (const lzma_check check :
       {LZMA_CHECK_NONE, LZMA_CHECK_CRC32, LZMA_CHECK_CRC64, LZMA_CHECK_SHA256}) {
    EXPECT_EQ(decode(files.write("keys", test::xz("a\nb\n", check))).bytes, "a\nb\n");
  }
}

TEST(Gzip, DamagedHeadersAndTrailersSaySo) {
  const InputFiles files;
  const std::string whole = test::gzip("a\nb\n", 0);  // the text stands in it as it is
  const auto error = [&](std::size_t at, char to) {
    std::string bad = whole;
    bad[at] = to;
    const std::string path = files.write("bad", bad);
    const std::string message = error_of(ErrorKind::bad_input, [&] { hash({path}); });
    EXPECT_TRUE(message.starts_with(path + ": the gzip data is damaged near byte ")) << message;
    return message.substr(message.rfind(" ("));
  };
  EXPECT_EQ(error(3, '\xe0'), " (unknown header flags set)");
  EXPECT_EQ(error(whole.find("b\n"), '\n'), " (incorrect data check)");  // an empty line, too
  EXPECT_EQ(error(whole.size() - 8, '!'), " (incorrect data check)");
  EXPECT_EQ(error(whole.size() - 4, '!'), " (incorrect length check)");
}

/// What `zstd --long=28` and above writes is sound: either it is read, or it needs too much memory.
TEST(Zstd, LongWindows) {
  const InputFiles files;
  const std::string magic("\x28\xb5\x2f\xfd");
  const std::string block("\x11\0\0a\n", 5);  // a raw one, the last
  const auto frame = [&](unsigned window_log) {
    return magic + std::string(1, '\0') + static_cast<char>((window_log - 10) << 3) + block;
  };
  const auto refusal = [&](const std::string& bytes) {
    const std::string path = files.write("keys", bytes);
    return error_of(ErrorKind::io, [&] { decode(path); }).substr(path.size());
  };
  for (const unsigned log : {10U, 27U, 28U})
    EXPECT_EQ(decode(files.write("keys", frame(log))).bytes, "a\n");
  for (const unsigned log : {29U, 30U, 31U}) {
    EXPECT_TRUE(refusal(frame(27) + frame(log))
                    .starts_with(": the zstd data needs " + std::to_string((1U << log) >> 20) +
                                 " MiB of memory to be decompressed"));
  }
  const std::string one_segment = magic + "\xe0" + std::string("\0\0\0\x60\0\0\0\0", 8) + block;
  EXPECT_TRUE(refusal(one_segment).starts_with(": the zstd data needs 1536 MiB of memory"));
}

/// pzstd begins its files with a skippable frame.
TEST(Zstd, AfterASkippableFrame) {
  const InputFiles files;
  const std::string skipped("\x50\x2a\x4d\x18\x03\0\0\0abc", 11);
  const Decoded decoded = decode(files.write("keys", skipped + test::zstd("a\n") + skipped));
  EXPECT_EQ(decoded.compression, Compression::zstd);
  EXPECT_EQ(decoded.bytes, "a\n");
}

TEST(InputBytes, PlainBytesThatAlmostLookCompressed) {
  const InputFiles files;
  const std::string gzip_magic = "\x1f\x8b";
  const std::string zstd_magic = "\x28\xb5\x2f";
  for (const std::string& bytes :
       {std::string(), std::string("a"), gzip_magic, gzip_magic + "\x07 rest", zstd_magic,
        zstd_magic + " rest", std::string("\0\0\0\0\0", 5)}) {
    const Decoded decoded = decode(files.write("keys", bytes), 3);
    EXPECT_EQ(decoded.bytes, bytes);
    EXPECT_EQ(decoded.compression, Compression::none);
    EXPECT_EQ(decoded.consumed, bytes.size());
  }
}

TEST(InputBytes, ReadsAtAnyOffset) {
  const InputFiles files;
  const InputFile file(files.write("keys", "0123456789"));
  EXPECT_TRUE(file.is_regular());
  EXPECT_EQ(file.size(), 10U);
  std::string room(4, '\0');
  EXPECT_EQ(file.read_at(3, room), 4U);
  EXPECT_EQ(room, "3456");
  EXPECT_EQ(file.read_at(8, room), 2U);
  EXPECT_EQ(file.read_at(10, room), 0U);
}

}  // namespace
}  // namespace crivo::input
