#include "keys/byte_source.hpp"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <random>

#include "keys/input_files.hpp"

namespace crivo::keys {
namespace {

std::string gzip(std::string_view bytes) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(std::string_view bytes) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size =
      ZSTD_compress2(context, out.data(), out.size(), bytes.data(), bytes.size());
  ZSTD_freeCCtx(context);
  EXPECT_EQ(ZSTD_isError(size), 0U);
  out.resize(size);
  return out;
}

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
  const OpenedSource opened = open_source(file);
  Decoded decoded{{}, opened.compression, 0};
  std::string room(step, '\0');
  while (const std::size_t got = opened.source->read(room)) decoded.bytes.append(room, 0, got);
  EXPECT_EQ(opened.source->read(room), 0U);
  decoded.consumed = opened.source->consumed();
  return decoded;
}

class Compressed : public testing::TestWithParam<Compression> {
 protected:
  std::string compress(std::string_view bytes) const {
    return GetParam() == Compression::gzip ? gzip(bytes) : zstd(bytes);
  }
  void expect_decodes(const std::string& encoded, const std::string& expected,
                      std::size_t step = 4093) const {
    const Decoded decoded = decode(files_.write("keys", encoded), step);
    EXPECT_TRUE(decoded.bytes == expected);
    EXPECT_EQ(decoded.compression, GetParam());
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
  const char* name = GetParam() == Compression::gzip ? "gzip" : "zstd";
  for (std::size_t size = 4; size < encoded.size(); ++size) {
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
    EXPECT_EQ(error_of(ErrorKind::bad_input, [&] { decode(path); }).rfind(path + ": the ", 0), 0U);
  }
}

TEST_P(Compressed, FollowedBySomethingElse) {
  const std::string path = files_.write("keys", compress("a\n") + "plain\n");
  error_of(ErrorKind::bad_input, [&] { decode(path); });
}

TEST_P(Compressed, ThroughAPipe) {
  const std::string encoded = compress(text(20'000));
  const FilledPipe pipe(files_, {encoded.substr(0, 1), encoded.substr(1, 2),
                                 encoded.substr(3, 5000), encoded.substr(5003)});
  const Decoded decoded = decode(pipe.path());
  EXPECT_TRUE(decoded.bytes == text(20'000));
  EXPECT_EQ(decoded.compression, GetParam());
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
              path + ":70001: the key is empty; remove the line, or allow it with --allow-empty");
  }
}

INSTANTIATE_TEST_SUITE_P(Both, Compressed, testing::Values(Compression::gzip, Compression::zstd),
                         [](const auto& tested) {
                           return tested.param == Compression::gzip ? "Gzip" : "Zstd";
                         });

TEST(ByteSource, PlainBytesThatAlmostLookCompressed) {
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

TEST(ByteSource, ReadsAtAnyOffset) {
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
}  // namespace crivo::keys
