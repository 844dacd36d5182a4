// SPDX-License-Identifier: Apache-2.0
#include "foreign/thrift.hpp"

#include <algorithm>

#include "crivo/error.hpp"

namespace crivo::foreign::thrift {
namespace {

constexpr unsigned kMostDepth = 32;
/// Far more than any structure of Parquet's has.
constexpr std::size_t kMostFields = 1000;
/// More than Parquet can have row groups, whose ordinals have 16 bits: what a list takes in memory
/// is bounded by this, and not by what a file of many short values says.
constexpr std::uint64_t kMostItems = std::uint64_t{1} << 20;
constexpr unsigned kShortItems = 15;

bool is_integer(Type type) noexcept {
  return type == Type::i8 || type == Type::i16 || type == Type::i32 || type == Type::i64;
}

void append_varint(base::Bytes& to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) to.push_back(static_cast<std::byte>(value | 0x80));
  to.push_back(static_cast<std::byte>(value));
}

std::uint64_t zigzag(std::int64_t value) noexcept {
  return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}

}  // namespace

void Reader::fail(const char* problem) const {
  throw Error(ErrorKind::corrupt, name_ + ": " + problem, {.file = name_});
}

base::ByteView Reader::take(std::uint64_t count) {
  if (count > bytes_.size()) fail("metadata ends in the middle of a value");
  const base::ByteView taken = bytes_.first(static_cast<std::size_t>(count));
  bytes_ = bytes_.subspan(taken.size());
  return taken;
}

std::uint64_t Reader::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint8_t next = byte();
    value |= std::uint64_t{next & 0x7fU} << shift;
    if (next < 0x80) return value;
  }
  fail("metadata has a number of more than 64 bits");
}

std::int64_t Reader::integer() {
  const std::uint64_t value = varint();
  return static_cast<std::int64_t>(value >> 1 ^ (0 - (value & 1)));
}

Type Reader::type_of(unsigned bits) const {
  if (bits == 0 || bits > static_cast<unsigned>(Type::structure))
    fail("metadata has a value of an unknown type");
  return static_cast<Type>(bits);
}

Reader::Items Reader::items() {
  const std::uint8_t head = byte();
  const std::uint64_t count = head >> 4 < kShortItems ? head >> 4 : varint();
  if (count > bytes_.size()) fail("metadata names more values than it holds");
  return {type_of(head & 15U), count};
}

std::optional<Field> Reader::field(std::int16_t before) {
  const std::uint8_t head = byte();
  if (head == 0) return {};
  const std::int64_t id = head >> 4 != 0 ? before + (head >> 4) : integer();
  if (id < 0 || id > INT16_MAX) fail("metadata has a field of an impossible number");
  return Field{static_cast<std::int16_t>(id), type_of(head & 15U), {}};
}

void Reader::skip(Type type, unsigned depth, bool in_list) {
  if (depth > kMostDepth) fail("metadata is nested too deeply");
  switch (type) {
    case Type::yes:
    case Type::no:
      if (in_list) take(1);
      break;
    case Type::i8:
      take(1);
      break;
    case Type::i16:
    case Type::i32:
    case Type::i64:
      varint();
      break;
    case Type::number:
      take(8);
      break;
    case Type::bytes:
      text();
      break;
    case Type::list:
    case Type::set: {
      const Items all = items();
      for (std::uint64_t i = 0; i < all.count; ++i) skip(all.type, depth + 1, true);
      break;
    }
    case Type::map: {
      const std::uint64_t count = varint();
      if (count > bytes_.size()) fail("metadata names more values than it holds");
      const std::uint8_t types = count == 0 ? 0 : byte();
      for (std::uint64_t i = 0; i < count; ++i) {
        skip(type_of(types >> 4), depth + 1, true);
        skip(type_of(types & 15U), depth + 1, true);
      }
      break;
    }
    case Type::structure:
      skip_fields(depth);
      break;
  }
}

void Reader::skip_fields(unsigned depth) {
  std::int16_t id = 0;
  while (const auto next = field(id)) {
    id = next->id;
    skip(next->type, depth + 1);
  }
}

base::ByteView Reader::value(Type type) {
  const base::ByteView begin = bytes_;
  skip(type, 0);
  return begin.first(begin.size() - bytes_.size());
}

std::vector<Field> Reader::fields() {
  std::vector<Field> all;
  std::int16_t id = 0;
  while (auto next = field(id)) {
    id = next->id;
    if (all.size() == kMostFields) fail("metadata has a structure of too many fields");
    next->value = value(next->type);
    all.push_back(*next);
  }
  return all;
}

Structure::Structure(base::ByteView bytes, const std::string& name) : name_(name) {
  Reader reader(bytes, name);
  fields_ = reader.fields();
}

const Field* Structure::find(std::int16_t id) const noexcept {
  const auto found = std::ranges::find(fields_, id, &Field::id);
  return found != fields_.end() ? &*found : nullptr;
}

const Field* Structure::find(std::int16_t id, Type type) const {
  const Field* const field = find(id);
  const bool fits =
      field == nullptr || field->type == type || (type == Type::i64 && is_integer(field->type));
  if (!fits) Reader({}, name_).fail("metadata has a field of another type than Parquet's");
  return field;
}

std::optional<std::int64_t> Structure::integer(std::int16_t id) const {
  const Field* const field = find(id, Type::i64);
  if (field == nullptr) return {};
  if (field->type == Type::i8) return std::to_integer<std::int8_t>(field->value[0]);
  return Reader(field->value, name_).integer();
}

std::optional<base::ByteView> Structure::text(std::int16_t id) const {
  const Field* const field = find(id, Type::bytes);
  if (field == nullptr) return {};
  return Reader(field->value, name_).text();
}

std::optional<bool> Structure::flag(std::int16_t id) const {
  const Field* const field = find(id);
  if (field == nullptr) return {};
  if (field->type != Type::yes) (void)find(id, Type::no);
  return field->type == Type::yes;
}

std::optional<base::ByteView> Structure::structure(std::int16_t id) const {
  const Field* const field = find(id, Type::structure);
  if (field == nullptr) return {};
  return field->value;
}

std::vector<base::ByteView> Structure::list(std::int16_t id, Type type) const {
  std::vector<base::ByteView> values;
  const Field* const field = find(id, Type::list);
  if (field == nullptr) return values;
  Reader reader(field->value, name_);
  const Reader::Items all = reader.items();
  if (all.count != 0 && all.type != type) reader.fail("metadata has a list of another type");
  if (all.count > kMostItems) reader.fail("metadata has a list of more than 1,048,576 values");
  values.reserve(all.count);
  for (std::uint64_t i = 0; i < all.count; ++i) values.push_back(reader.value(type));
  return values;
}

std::uint64_t Structure::count(std::int16_t id, const char* what, std::uint64_t most) const {
  const auto value = integer(id);
  if (!value || *value < 0 || static_cast<std::uint64_t>(*value) > most)
    throw Error(ErrorKind::corrupt,
                name_ + ": " + what + (value ? " is impossible" : " is missing"), {.file = name_});
  return static_cast<std::uint64_t>(*value);
}

void Structure::set(std::int16_t id, Type type, base::ByteView value) {
  const auto at = std::ranges::find_if(fields_, [&](const Field& each) { return each.id >= id; });
  if (at != fields_.end() && at->id == id) {
    *at = {id, type, value};
  } else {
    fields_.insert(at, {id, type, value});
  }
}

base::Bytes Structure::encode() const {
  base::Bytes bytes;
  std::int16_t before = 0;
  for (const Field& field : fields_) {
    const int step = field.id - before;
    const auto type = static_cast<std::uint8_t>(field.type);
    if (step >= 1 && step <= 15) {
      bytes.push_back(static_cast<std::byte>(step << 4 | type));
    } else {
      bytes.push_back(static_cast<std::byte>(type));
      append_varint(bytes, zigzag(field.id));
    }
    bytes.insert(bytes.end(), field.value.begin(), field.value.end());
    before = field.id;
  }
  bytes.push_back(std::byte{0});
  return bytes;
}

base::Bytes encode_integer(std::int64_t value) {
  base::Bytes bytes;
  append_varint(bytes, zigzag(value));
  return bytes;
}

base::Bytes encode_list(Type type, const std::vector<base::Bytes>& values) {
  base::Bytes bytes;
  const auto bits = static_cast<std::uint8_t>(type);
  if (values.size() < kShortItems) {
    bytes.push_back(static_cast<std::byte>(values.size() << 4 | bits));
  } else {
    bytes.push_back(static_cast<std::byte>(kShortItems << 4 | bits));
    append_varint(bytes, values.size());
  }
  for (const base::Bytes& value : values) bytes.insert(bytes.end(), value.begin(), value.end());
  return bytes;
}

}  // namespace crivo::foreign::thrift
