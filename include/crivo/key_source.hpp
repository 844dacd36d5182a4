// SPDX-License-Identifier: Apache-2.0
/// Keys, values and records that a program has in memory or makes, as the input of a build:
///
///     std::vector<std::string> words = ...;
///     build_mphf(keys_in(words), "words.crv");
///     build_map(values_in(words, counts), "counts.crv", {.values = true});
///     build_filter(keys_from([&](KeyWriter& writer) {
///       for (int i = 0; i < 1000 && cursor.next(); ++i) writer.key(cursor.text());
///       return !cursor.ended();
///     }), "seen.crv");
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crivo/export.hpp"
#include "crivo/hash.hpp"
#include "crivo/keys.hpp"

namespace crivo {

/// What keys are handed over to: each with nothing, with a value or with a record, as the build
/// wants it, and all in the same way. The bytes are copied. A number is the key of its 8 bytes, the
/// lowest first.
class CRIVO_API KeyWriter {
 public:
  /// Appends to `bytes`.
  explicit KeyWriter(std::vector<char>& bytes) noexcept : bytes_(bytes) {}

  void key(std::string_view key) {
    append(key, kMaxKeyBytes);
    ++units_;
  }
  void value(std::string_view key, std::uint64_t value);
  void record(std::string_view key, std::string_view record);

  /// How many keys were handed over, and how many texts in all.
  std::uint64_t units() const noexcept { return units_; }
  std::uint64_t texts() const noexcept { return texts_; }

 private:
  void append(std::string_view text, std::uint64_t most);

  std::vector<char>& bytes_;
  std::uint64_t units_ = 0;
  std::uint64_t texts_ = 0;
};

/// A sequence of keys that is no file. One that has a size() is read by all threads, and again
/// where that is wanted; one that has none is read once, as a pipe is.
class CRIVO_API KeySource {
 public:
  KeySource() = default;
  virtual ~KeySource();
  KeySource(const KeySource&) = delete;
  KeySource& operator=(const KeySource&) = delete;

  /// What messages call the source; "keys" within angle brackets unless it says otherwise.
  virtual std::string name() const;

  /// The number of keys, of a source whose keys can be had in any order.
  virtual std::optional<std::uint64_t> size() const;
  /// Of such a source: about the bytes that the keys [begin, end) have, with all that is beside
  /// them. From any thread.
  virtual std::uint64_t bytes(std::uint64_t begin, std::uint64_t end) const;
  /// Of such a source: hands over the keys [begin, end). From any thread.
  virtual void write(std::uint64_t begin, std::uint64_t end, KeyWriter& writer) const;

  /// Of any other: hands over some of the next keys, at most 2^24; false when those were the last.
  /// Not called again after that, and not by two threads at once.
  virtual bool next(KeyWriter& writer);
};

/// `source` as an input.
CRIVO_API KeyInput input_of(std::shared_ptr<KeySource> source);

/// The keys that `next` hands over: it is called again and again, for some keys at a time, until it
/// returns false; not by two threads at once. What it throws goes through the build.
CRIVO_API KeyInput keys_from(std::function<bool(KeyWriter&)> next);

/// What is a key: a text, bytes, or a number of 64 bits.
template <typename T>
concept KeyLike = std::convertible_to<const T&, std::string_view> ||
    std::convertible_to<const T&, std::span<const std::byte>> || KeyNumber<T>;
/// A range of keys.
template <typename T>
concept KeyRange = std::ranges::forward_range<T> &&
    KeyLike<std::remove_cvref_t<std::ranges::range_reference_t<T>>>;

namespace detail {

/// The bytes of a key.
class KeyBytes {
 public:
  template <typename Key>
  explicit KeyBytes(const Key& key) noexcept {
    if constexpr (KeyNumber<Key>) {
      is_number_ = true;
      for (std::size_t i = 0; i < number_.size(); ++i) {
        number_[i] = static_cast<char>(static_cast<std::uint64_t>(key) >> (8 * i));
      }
    } else if constexpr (std::convertible_to<const Key&, std::string_view>) {
      text_ = key;
    } else {
      const std::span<const std::byte> bytes = key;
      text_ = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
  }
  std::string_view view() const noexcept {
    return is_number_ ? std::string_view(number_.data(), number_.size()) : text_;
  }

 private:
  std::array<char, 8> number_{};
  std::string_view text_{};
  bool is_number_ = false;
};

/// `Beside` has write(i, key, writer) and bytes(i), for what belongs to each key.
template <typename Keys, typename Beside>
class RangeSource final : public KeySource {
 public:
  RangeSource(const Keys& keys, Beside beside) : keys_(keys), beside_(std::move(beside)) {}

  std::optional<std::uint64_t> size() const override {
    return static_cast<std::uint64_t>(std::ranges::size(keys_));
  }
  std::uint64_t bytes(std::uint64_t begin, std::uint64_t end) const override {
    std::uint64_t sum = 0;
    for (; begin < end; ++begin) {
      sum += 4 + KeyBytes(at(begin)).view().size() + beside_.bytes(begin);
    }
    return sum;
  }
  void write(std::uint64_t begin, std::uint64_t end, KeyWriter& writer) const override {
    for (; begin < end; ++begin) beside_.write(begin, KeyBytes(at(begin)).view(), writer);
  }

 private:
  decltype(auto) at(std::uint64_t i) const {
    return std::ranges::begin(keys_)[static_cast<std::ranges::range_difference_t<const Keys>>(i)];
  }

  const Keys& keys_;
  Beside beside_;
};

struct NothingBeside {
  std::uint64_t bytes(std::uint64_t) const noexcept { return 0; }
  void write(std::uint64_t, std::string_view key, KeyWriter& writer) const { writer.key(key); }
};
struct ValuesBeside {
  std::uint64_t bytes(std::uint64_t) const noexcept { return 4 + sizeof(std::uint64_t); }
  void write(std::uint64_t i, std::string_view key, KeyWriter& writer) const {
    writer.value(key, values[i]);
  }
  std::span<const std::uint64_t> values;
};
template <typename Records>
struct RecordsBeside {
  std::uint64_t bytes(std::uint64_t i) const noexcept { return 4 + at(i).view().size(); }
  void write(std::uint64_t i, std::string_view key, KeyWriter& writer) const {
    writer.record(key, at(i).view());
  }
  KeyBytes at(std::uint64_t i) const {
    return KeyBytes(std::ranges::begin(
        records)[static_cast<std::ranges::range_difference_t<const Records>>(i)]);
  }
  const Records& records;
};

/// Throws Error(usage) unless both are alike.
CRIVO_API void check_same_size(std::uint64_t keys, std::uint64_t others);

}  // namespace detail

/// The keys of a range, in order. It must outlive the input, so a temporary does not compile. Of
/// one that is not of random access (a list, a set) the keys are read once, as from a pipe.
template <KeyRange Keys>
KeyInput keys_in(const Keys& keys) {
  KeyInput input;
  if constexpr (std::ranges::random_access_range<const Keys> &&
                std::ranges::sized_range<const Keys>) {
    input = input_of(std::make_shared<detail::RangeSource<Keys, detail::NothingBeside>>(
        keys, detail::NothingBeside{}));
  } else {
    input = keys_from(
        [at = std::ranges::begin(keys), end = std::ranges::end(keys)](KeyWriter& writer) mutable {
          for (int i = 0; i < 256 && at != end; ++i, ++at) writer.key(detail::KeyBytes(*at).view());
          return at != end;
        });
  }
  input.format.numbers = KeyNumber<std::remove_cvref_t<std::ranges::range_reference_t<const Keys>>>;
  return input;
}
template <KeyRange Keys>
KeyInput keys_in(const Keys&& keys) = delete;
/// The same with a value for each key: of a build_map() with MapOptions::values.
template <KeyRange Keys>
requires std::ranges::random_access_range<const Keys> KeyInput
values_in(const Keys& keys, std::span<const std::uint64_t> values) {
  detail::check_same_size(std::ranges::size(keys), values.size());
  return input_of(std::make_shared<detail::RangeSource<Keys, detail::ValuesBeside>>(
      keys, detail::ValuesBeside{values}));
}
template <KeyRange Keys>
KeyInput values_in(const Keys&& keys, std::span<const std::uint64_t> values) = delete;
template <KeyRange Keys>
KeyInput values_in(const Keys& keys, const std::vector<std::uint64_t>&& values) = delete;
/// The same with a record for each key, of a build_store().
template <KeyRange Keys, KeyRange Records>
requires(std::ranges::random_access_range<const Keys>&&
             std::ranges::random_access_range<const Records>) KeyInput
    records_in(const Keys& keys, const Records& records) {
  detail::check_same_size(std::ranges::size(keys), std::ranges::size(records));
  return input_of(std::make_shared<detail::RangeSource<Keys, detail::RecordsBeside<Records>>>(
      keys, detail::RecordsBeside<Records>{records}));
}
template <KeyRange Keys, KeyRange Records>
KeyInput records_in(const Keys&& keys, const Records& records) = delete;
template <KeyRange Keys, KeyRange Records>
KeyInput records_in(const Keys& keys, const Records&& records) = delete;
template <KeyRange Keys, KeyRange Records>
KeyInput records_in(const Keys&& keys, const Records&& records) = delete;

}  // namespace crivo
