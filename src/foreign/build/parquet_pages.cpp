// SPDX-License-Identifier: Apache-2.0
#include "foreign/build/parquet_pages.hpp"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

namespace crivo::foreign::parquet {
namespace {

enum Codec : std::uint8_t { uncompressed = 0, snappy = 1, gzip = 2, zstd = 6 };

std::string codec_name(std::uint64_t codec) {
  constexpr std::array<std::string_view, 8> kNames{"UNCOMPRESSED", "SNAPPY", "GZIP", "LZO",
                                                   "BROTLI",       "LZ4",    "ZSTD", "LZ4_RAW"};
  return codec < kNames.size() ? std::string(kNames[codec]) : std::to_string(codec);
}

bool unpack_gzip(base::ByteView page, base::Bytes& room) noexcept {
  constexpr int kGzip = 15 + 16;
  z_stream stream{};
  if (inflateInit2(&stream, kGzip) != Z_OK) return false;
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(page.data()));
  stream.avail_in = static_cast<uInt>(page.size());
  stream.next_out = reinterpret_cast<Bytef*>(room.data());
  stream.avail_out = static_cast<uInt>(room.size());
  const bool done = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  return done;
}

bool unpack_zstd(base::ByteView page, base::Bytes& room) noexcept {
  return ZSTD_decompress(room.data(), room.size(), page.data(), page.size()) == room.size();
}

/// The bytes of Snappy's format, of which each read is checked.
class SnappyBytes {
 public:
  explicit SnappyBytes(base::ByteView bytes) noexcept : bytes_(bytes) {}

  bool empty() const noexcept { return bytes_.empty(); }
  /// The next 1 to 4 bytes as a number; false if there are fewer.
  bool number(unsigned bytes, std::uint32_t& value) noexcept {
    if (bytes_.size() < bytes) return false;
    value = 0;
    for (unsigned i = 0; i < bytes; ++i)
      value |= std::to_integer<std::uint32_t>(bytes_[i]) << 8 * i;
    bytes_ = bytes_.subspan(bytes);
    return true;
  }
  bool length(std::uint64_t& value) noexcept {
    value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
      std::uint32_t next = 0;
      if (!number(1, next)) return false;
      value |= std::uint64_t{next & 0x7f} << shift;
      if (next < 0x80) return true;
    }
    return false;
  }
  bool copy_to(std::byte* to, std::size_t count) noexcept {
    if (bytes_.size() < count) return false;
    std::memcpy(to, bytes_.data(), count);
    bytes_ = bytes_.subspan(count);
    return true;
  }

 private:
  base::ByteView bytes_;
};

}  // namespace

bool unpack_snappy(base::ByteView page, base::Bytes& room) noexcept {
  constexpr std::uint32_t kShortLiteral = 60;
  SnappyBytes from(page);
  std::uint64_t bytes = 0;
  if (!from.length(bytes) || bytes != room.size()) return false;
  std::size_t at = 0;
  while (!from.empty()) {
    std::uint32_t tag = 0;
    if (!from.number(1, tag)) return false;
    const std::uint32_t high = tag >> 2;
    if ((tag & 3) == 0) {
      std::uint32_t last = high;  // its length less one
      if (high >= kShortLiteral && !from.number(high - kShortLiteral + 1, last)) return false;
      if (last >= room.size() - at || !from.copy_to(room.data() + at, std::size_t{last} + 1))
        return false;
      at += std::size_t{last} + 1;
      continue;
    }
    std::uint32_t back = 0;
    std::size_t count = high + 1;
    if ((tag & 3) == 1) {
      if (!from.number(1, back)) return false;
      back |= tag >> 5 << 8;
      count = 4 + (high & 7);
    } else if (!from.number((tag & 3) == 2 ? 2 : 4, back)) {
      return false;
    }
    if (back == 0 || back > at || count > room.size() - at) return false;
    // It may repeat what it writes.
    for (std::size_t i = 0; i < count; ++i, ++at) room[at] = room[at - back];
  }
  return at == room.size();
}

base::ByteView unpack(const File& file, const std::string& column, std::uint64_t codec,
                      base::ByteView page, std::uint64_t bytes, base::Bytes& room) {
  if (bytes == 0) return {};
  const std::string name = "column '" + column + "' ";
  if (bytes > kMostPageBytes) file.refuse(name + "has a page of over 256 MiB");
  bool (*unpack_by)(base::ByteView, base::Bytes&) noexcept = nullptr;
  std::uint64_t growth = 0;  // to what a byte can grow at most
  switch (codec) {
    case uncompressed:
      if (page.size() != bytes) file.fail(name + "has a page of two lengths");
      return page;
    case snappy:
      unpack_by = unpack_snappy;
      growth = 32;
      break;
    case gzip:
      unpack_by = unpack_gzip;
      growth = 1032;
      break;
    case zstd:
      unpack_by = unpack_zstd;
      growth = 32'768;
      break;
    default:
      file.refuse(name + "is compressed by " + codec_name(codec) +
                  ", which is not read; SNAPPY, GZIP and ZSTD are");
  }
  // No memory for a length that cannot be: none for what a page of few bytes only says.
  bool is_sound = bytes / growth <= page.size();
  if (is_sound) {
    room.resize(bytes);
    is_sound = unpack_by(page, room);
  }
  if (!is_sound) file.fail(name + "has a page that " + codec_name(codec) + " cannot read");
  return room;
}

namespace {

/// What a page's header takes, statistics of long values included.
constexpr std::size_t kMostPageHeaderBytes = std::size_t{1} << 20;

enum class PageType : std::uint8_t { data = 0, index = 1, dictionary = 2, data_2 = 3 };
/// Of values.
enum Encoding : std::uint8_t { plain = 0, plain_dictionary = 2, rle = 3, rle_dictionary = 8 };

std::string encoding_name(std::uint64_t encoding) {
  constexpr std::array<std::string_view, 10> kNames{"PLAIN",
                                                    "1",
                                                    "PLAIN_DICTIONARY",
                                                    "RLE",
                                                    "BIT_PACKED",
                                                    "DELTA_BINARY_PACKED",
                                                    "DELTA_LENGTH_BYTE_ARRAY",
                                                    "DELTA_BYTE_ARRAY",
                                                    "RLE_DICTIONARY",
                                                    "BYTE_STREAM_SPLIT"};
  return encoding < kNames.size() ? std::string(kNames[encoding]) : std::to_string(encoding);
}

/// Reads the pages of a chunk, one after the other.
class Pages {
 public:
  Pages(const File& file, const Column& column, const Chunk& chunk,
        const std::function<void(std::string_view)>& visit)
      : file_(file),
        column_(column),
        chunk_(chunk),
        visit_(visit),
        rest_(file.bytes().subspan(chunk.begin, chunk.bytes)) {}

  void read_all() {
    while (values_ < chunk_.values) read_page();
    if (values_ != chunk_.values) fail("has more values in its pages than its row group says");
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    file_.fail("column '" + column_.path + "' " + problem);
  }
  [[noreturn]] void refuse(const std::string& problem) const {
    file_.refuse("column '" + column_.path + "' " + problem);
  }

  void read_page() {
    if (rest_.empty()) fail("has fewer values in its pages than its row group says");
    thrift::Reader reader(rest_.first(std::min(rest_.size(), kMostPageHeaderBytes)), file_.name());
    const std::size_t before = reader.left();
    const thrift::Structure header(reader, file_.name());
    rest_ = rest_.subspan(before - reader.left());
    whole_bytes_ = header.count(2, "the length of a page", INT32_MAX);
    const std::uint64_t bytes = header.count(3, "the length of a page", rest_.size());
    const base::ByteView page = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    check_sum(header, page);
    switch (static_cast<PageType>(header.count(1, "the type of a page", 255))) {
      case PageType::data:
        return read_data(part(header, 5), page);
      case PageType::dictionary:
        return read_dictionary(part(header, 7), page);
      case PageType::data_2:
        return read_data_2(part(header, 8), page);
      default:
        return;  // an index page, or one of a later kind, which has no values
    }
  }

  thrift::Structure part(const thrift::Structure& header, std::int16_t id) const {
    const auto found = header.structure(id);
    if (!found) fail("has a page whose header is incomplete");
    return {*found, file_.name()};
  }

  /// A value of a damaged page would be missing from the filter, and its row from an answer.
  void check_sum(const thrift::Structure& header, base::ByteView page) const {
    const auto said = header.integer(4);
    if (!said) return;
    const uLong found = crc32_z(0, reinterpret_cast<const Bytef*>(page.data()), page.size());
    if (static_cast<std::uint32_t>(*said) != static_cast<std::uint32_t>(found))
      fail("has a page that is damaged: its sum is another");
  }

  base::ByteView unpacked(base::ByteView page, std::uint64_t bytes) {
    return unpack(file_, column_.path, chunk_.codec, page, bytes, room_);
  }

  void read_dictionary(const thrift::Structure& header, base::ByteView page) {
    const std::uint64_t encoding = header.count(2, "the encoding of a dictionary");
    if (encoding != plain && encoding != plain_dictionary)
      refuse("has a dictionary in " + encoding_name(encoding) + ", which is not read");
    const std::uint64_t values = header.count(1, "the number of values of a dictionary");
    if (visit_plain(unpacked(page, whole_bytes_)) != values) fail_count();
    has_dictionary_ = true;
  }

  /// Whether the values of a data page are to be read: not those that a dictionary has.
  bool is_plain(std::uint64_t encoding) const {
    if (encoding == plain_dictionary || encoding == rle_dictionary) {
      if (!has_dictionary_) fail("has pages by a dictionary that it lacks");
      return false;
    }
    if (encoding != plain) {
      refuse("has values in " + encoding_name(encoding) +
             ", which is not read; have its writer use PLAIN or a dictionary");
    }
    return true;
  }

  void read_data(const thrift::Structure& header, base::ByteView page) {
    const std::uint64_t most = add_values(header);
    if (!is_plain(header.count(2, "the encoding of a page"))) return;
    base::ByteView values = unpacked(page, whole_bytes_);
    if (column_.has_levels_of_repeats) skip_levels(header, 4, values);
    if (column_.has_levels_of_nulls) skip_levels(header, 3, values);
    const std::uint64_t found = visit_plain(values);
    if (column_.has_levels_of_nulls ? found > most : found != most) fail_count();
  }

  /// Levels stand before the values, behind their length.
  void skip_levels(const thrift::Structure& header, std::int16_t id, base::ByteView& values) const {
    const std::uint64_t encoding = header.count(id, "the encoding of levels");
    if (encoding != rle) refuse("has levels in " + encoding_name(encoding) + ", which is not read");
    if (values.size() < 4) fail("has a page that ends in its levels");
    const std::uint64_t bytes = base::load_le<std::uint32_t>(values.data());
    if (bytes > values.size() - 4) fail("has a page that ends in its levels");
    values = values.subspan(4 + bytes);
  }

  void read_data_2(const thrift::Structure& header, base::ByteView page) {
    const std::uint64_t all = add_values(header);
    const std::uint64_t nulls = header.count(2, "the number of nulls of a page", all);
    if (!is_plain(header.count(4, "the encoding of a page"))) return;
    const std::uint64_t levels = header.count(5, "the length of levels", page.size()) +
                                 header.count(6, "the length of levels", page.size());
    if (levels > page.size() || levels > whole_bytes_) fail("has a page that ends in its levels");
    const base::ByteView values = page.subspan(levels);
    const bool is_packed = header.flag(7).value_or(true);
    if (visit_plain(is_packed ? unpacked(values, whole_bytes_ - levels) : values) != all - nulls)
      fail_count();
  }

  /// Returns the values of the page, nulls included.
  std::uint64_t add_values(const thrift::Structure& header) {
    const std::uint64_t values = header.count(1, "the number of values of a page", INT32_MAX);
    values_ += values;
    return values;
  }

  /// A value that is not there would be missing from the filter, as one of a damaged page.
  [[noreturn]] void fail_count() const { fail("has a page of another number of values"); }

  /// Returns how many there are.
  std::uint64_t visit_plain(base::ByteView values) const {
    std::uint64_t count = 0;
    for (std::string_view left = base::as_text(values); !left.empty(); ++count) {
      std::size_t bytes = column_.width;
      if (bytes == 0) {
        if (left.size() < 4) fail("has a page that ends in a value");
        bytes = base::load_le<std::uint32_t>(left.data());
        left.remove_prefix(4);
      }
      if (bytes > left.size()) fail("has a page that ends in a value");
      visit_(left.substr(0, bytes));
      left.remove_prefix(bytes);
    }
    return count;
  }

  const File& file_;
  const Column& column_;
  const Chunk& chunk_;
  const std::function<void(std::string_view)>& visit_;
  base::ByteView rest_;
  std::uint64_t whole_bytes_ = 0;  ///< of the page, uncompressed
  std::uint64_t values_ = 0;
  bool has_dictionary_ = false;
  base::Bytes room_;
};

}  // namespace

void for_each_value(const File& file, const Column& column, const Chunk& chunk,
                    const std::function<void(std::string_view value)>& visit) {
  Pages(file, column, chunk, visit).read_all();
}

}  // namespace crivo::foreign::parquet
