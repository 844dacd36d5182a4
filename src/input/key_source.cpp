// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/bytes.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/error.hpp"

namespace crivo {
namespace {

constexpr std::size_t kSizeBytes = sizeof(std::uint32_t);

/// Cuts a text that is too long to so much that it is seen to be.
std::string_view cut(std::string_view text, std::uint64_t most) noexcept {
  return text.size() > most ? text.substr(0, most + 1) : text;
}

/// Writes the text behind its size; returns its end. A source may have 10^9 texts of some bytes,
/// for which a call takes longer than the copy.
char* put(char* at, std::string_view text) noexcept {
  base::store_le(at, static_cast<std::uint32_t>(text.size()));
  at += kSizeBytes;
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  if (text.size() < kWord || text.size() > 2 * kWord)
    return std::copy_n(text.data(), text.size(), at);
  const auto first = base::load_le<std::uint64_t>(text.data());
  const auto last = base::load_le<std::uint64_t>(text.data() + text.size() - kWord);
  base::store_le(at, first);
  base::store_le(at + text.size() - kWord, last);
  return at + text.size();
}

class CalledSource final : public KeySource {
 public:
  explicit CalledSource(std::function<bool(KeyWriter&)> next) : next_(std::move(next)) {}
  bool next(KeyWriter& writer) override { return next_(writer); }

 private:
  std::function<bool(KeyWriter&)> next_;
};

}  // namespace

void KeyWriter::append(std::string_view text, std::uint64_t most) {
  text = cut(text, most);
  const std::size_t end = bytes_.size();
  bytes_.resize(end + kSizeBytes + text.size());
  put(bytes_.data() + end, text);
  ++texts_;
}

void KeyWriter::value(std::string_view key, std::uint64_t value) {
  this->key(key);
  std::array<char, sizeof value> bytes;
  base::store_le(bytes.data(), value);
  append({bytes.data(), bytes.size()}, bytes.size());
}

void KeyWriter::record(std::string_view key, std::string_view record) {
  key = cut(key, kMaxKeyBytes);
  record = cut(record, kMaxRecordBytes);
  const std::size_t end = bytes_.size();
  bytes_.resize(end + 2 * kSizeBytes + key.size() + record.size());
  put(put(bytes_.data() + end, key), record);
  texts_ += 2;
  ++units_;
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
