/// The keys that the experiments are about: a vocabulary and a set of URLs, as `crivo gen` makes
/// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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

/// The sets of a run, made when they are first asked for.
class KeySets {
 public:
  explicit KeySets(std::uint64_t count) : count_(count) {}

  /// Keys of either set.
  std::uint64_t count() const noexcept { return count_; }
  const KeySet& words() { return made(words_, gen::Kind::words); }
  const KeySet& urls() { return made(urls_, gen::Kind::urls); }

 private:
  const KeySet& made(std::optional<KeySet>& set, gen::Kind kind) const {
    if (!set) set = KeySet::generate(kind, count_);
    return *set;
  }

  std::uint64_t count_;
  std::optional<KeySet> words_;
  std::optional<KeySet> urls_;
};

}  // namespace crivo::experiments
