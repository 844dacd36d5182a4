// SPDX-License-Identifier: Apache-2.0
/// Thrift's compact protocol, as far as Parquet has it: structures whose values are left as they
/// stand in the bytes, so that what nobody here knows is written again as it was.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace crivo::foreign::thrift {

enum class Type : std::uint8_t {
  yes = 1,
  no = 2,
  i8 = 3,
  i16 = 4,
  i32 = 5,
  i64 = 6,
  number = 7,  ///< a double
  bytes = 8,
  list = 9,
  set = 10,
  map = 11,
  structure = 12,
};

/// A field of a structure; of `yes` and `no` the type is the value.
struct Field {
  std::int16_t id = 0;
  Type type = Type::no;
  base::ByteView value;
};

/// Reads values in turn, and nothing beyond the end: Error(corrupt), which begins with `name`, for
/// a value that is cut short, nested deeper than 32, or no value at all.
class Reader {
 public:
  /// `name` outlives this.
  Reader(base::ByteView bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  std::uint64_t varint();
  std::int64_t integer();
  base::ByteView take(std::uint64_t count);
  base::ByteView text() { return take(varint()); }
  /// The type and number of what follows, of which each takes a byte or more.
  struct Items {
    Type type;
    std::uint64_t count;
  };
  Items items();
  /// Returns the bytes of a value.
  base::ByteView value(Type type);
  /// Reads a structure.
  std::vector<Field> fields();

  std::size_t left() const noexcept { return bytes_.size(); }
  [[noreturn]] void fail(const char* problem) const;

 private:
  std::uint8_t byte() { return std::to_integer<std::uint8_t>(take(1)[0]); }
  /// The next field, without its value; nothing at the end of the structure.
  std::optional<Field> field(std::int16_t before);
  Type type_of(unsigned bits) const;
  void skip(Type type, unsigned depth, bool in_list = false);
  void skip_fields(unsigned depth);

  base::ByteView bytes_;
  const std::string& name_;
};

/// A structure, by the ids of its fields.
class Structure {
 public:
  /// Reads the next one. `name` outlives this.
  Structure(Reader& reader, const std::string& name) : fields_(reader.fields()), name_(name) {}
  Structure(base::ByteView bytes, const std::string& name);

  const Field* find(std::int16_t id) const noexcept;
  /// Those of a field, or nothing. Throw Error(corrupt) where it has another type.
  std::optional<std::int64_t> integer(std::int16_t id) const;
  std::optional<base::ByteView> text(std::int16_t id) const;
  std::optional<bool> flag(std::int16_t id) const;
  std::optional<base::ByteView> structure(std::int16_t id) const;
  /// The values of a list, or none. Throws Error(corrupt) for more than 2^20.
  std::vector<base::ByteView> list(std::int16_t id, Type type) const;
  /// The same of an integer that has to be there, from 0 to `most`.
  std::uint64_t count(std::int16_t id, const char* what, std::uint64_t most = INT64_MAX) const;

  /// Puts a field in its place among the others, or in the place of one. The value outlives this.
  void set(std::int16_t id, Type type, base::ByteView value);
  /// Writes it anew.
  base::Bytes encode() const;

 private:
  const Field* find(std::int16_t id, Type type) const;

  std::vector<Field> fields_;
  const std::string& name_;
};

base::Bytes encode_integer(std::int64_t value);
base::Bytes encode_list(Type type, const std::vector<base::Bytes>& values);

}  // namespace crivo::foreign::thrift
