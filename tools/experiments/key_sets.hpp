// SPDX-License-Identifier: Apache-2.0
/// The keys that the experiments are about: a vocabulary and a set of URLs, as `crivo gen` makes
/// them, or of files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gen/generator.hpp"

namespace crivo::experiments {

/// Distinct keys in one contiguous piece of memory, each ended by a zero byte (the dissertation's
/// Figure 3.1): what its hash tables point into. Immutable.
class KeySet {
 public:
  /// Keys [first, first + count) of the sequence of (kind, seed 0), of at most 4 GiB in all: a
  /// smaller set is a prefix of a larger one, and ranges that do not meet have no common key.
  static KeySet generate(gen::Kind kind, std::uint64_t count, std::uint64_t first = 0);
  /// The keys of a text in its order, each with a zero byte after it. They are taken to be
  /// distinct. Throws Error(usage) if the last one has none, or for 4 GiB or more.
  static KeySet of(std::string text);
  /// The lines of a file in its order, of those that are there twice the first alone. Throws Error:
  /// io, bad_input for fewer than 1000 of them, a zero byte, or a line that hu and hz have no
  /// weights for.
  static KeySet read(const std::filesystem::path& file);

  std::uint64_t size() const noexcept { return starts_.size() - 1; }
  std::string_view operator[](std::uint64_t i) const noexcept {
    return {text_.data() + starts_[i], starts_[i + 1] - starts_[i] - 1};
  }
  /// Where key i begins in text(): its name in 4 bytes, as a pointer was in the dissertation.
  std::uint32_t start(std::uint64_t i) const noexcept { return starts_[i]; }
  const std::string& text() const noexcept { return text_; }
  /// The key that begins at `start`, which is looked for its end.
  std::string_view at(std::uint32_t start) const noexcept { return text_.data() + start; }

 private:
  std::string text_;
  std::vector<std::uint32_t> starts_;  ///< and where the last one ends
};

/// The sets of a run, made when they are first asked for. For any number of threads.
class KeySets {
 public:
  struct Source {
    gen::Kind kind;
    std::uint64_t count;         ///< of keys to generate
    std::filesystem::path file;  ///< that has the keys instead, unless it is empty
  };

  /// As many generated keys of either set.
  explicit KeySets(std::uint64_t count)
      : KeySets({gen::Kind::words, count, {}}, {gen::Kind::urls, count, {}}) {}
  KeySets(Source words, Source urls)
      : words_{std::move(words), {}, {}}, urls_{std::move(urls), {}, {}} {}

  const KeySet& words() { return words_.made(); }
  const KeySet& urls() { return urls_.made(); }
  /// "words" or "urls".
  const KeySet& named(std::string_view name) { return name == "words" ? words() : urls(); }
  /// Keys of that look, as many as `count` at most, of which none is in the set.
  KeySet absent(std::string_view name, std::uint64_t count);

 private:
  struct Lazy {
    Source source;
    std::once_flag once;
    std::optional<KeySet> set;

    const KeySet& made() {
      std::call_once(once, [&] {
        set = source.file.empty() ? KeySet::generate(source.kind, source.count)
                                  : KeySet::read(source.file);
      });
      return *set;  // NOLINT(bugprone-unchecked-optional-access): made by now
    }
  };

  Lazy words_;
  Lazy urls_;
};

}  // namespace crivo::experiments
