// SPDX-License-Identifier: Apache-2.0
#include "crivo/key_source.hpp"

#include <algorithm>

#include "base/bytes.hpp"
#include "crivo/error.hpp"

namespace crivo {
namespace {

class CalledSource final : public KeySource {
 public:
  explicit CalledSource(std::function<bool(KeyWriter&)> next) : next_(std::move(next)) {}
  bool next(KeyWriter& writer) override { return next_(writer); }

 private:
  std::function<bool(KeyWriter&)> next_;
};

}  // namespace

void KeyWriter::append(std::string_view text, std::uint64_t most) {
  // Of what is too long, so much that it is seen to be. By one call to the vector: a source may
  // have 10^9 texts.
  if (text.size() > most) text = text.substr(0, most + 1);
  const std::size_t end = bytes_.size();
  bytes_.resize(end + sizeof(std::uint32_t) + text.size());
  base::store_le(bytes_.data() + end, static_cast<std::uint32_t>(text.size()));
  std::copy_n(text.data(), text.size(), bytes_.data() + end + sizeof(std::uint32_t));
  ++texts_;
}

void KeyWriter::value(std::string_view key, std::uint64_t value) {
  this->key(key);
  std::array<char, sizeof value> bytes;
  base::store_le(bytes.data(), value);
  append({bytes.data(), bytes.size()}, bytes.size());
}

void KeyWriter::record(std::string_view key, std::string_view record) {
  this->key(key);
  append(record, kMaxRecordBytes);
}

KeySource::~KeySource() = default;
std::string KeySource::name() const {
  return "<keys>";
}
std::optional<std::uint64_t> KeySource::size() const {
  return std::nullopt;
}
std::uint64_t KeySource::bytes(std::uint64_t, std::uint64_t) const {
  return 0;
}
void KeySource::write(std::uint64_t, std::uint64_t, KeyWriter&) const {}
bool KeySource::next(KeyWriter&) {
  return false;
}

KeyInput input_of(std::shared_ptr<KeySource> source) {
  return {
      .paths = {}, .format = {.framing = KeyFormat::Framing::counted}, .source = std::move(source)};
}

KeyInput keys_from(std::function<bool(KeyWriter&)> next) {
  return input_of(std::make_shared<CalledSource>(std::move(next)));
}

namespace detail {

void check_same_size(std::uint64_t keys, std::uint64_t others) {
  if (keys == others) return;
  throw Error(ErrorKind::usage, std::to_string(keys) + " keys were given, but " +
                                    std::to_string(others) + " values or records");
}

}  // namespace detail

}  // namespace crivo
