// SPDX-License-Identifier: Apache-2.0
/// --seed and --hash, by which keys are hashed.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>

#include "crivo/build/build.hpp"

namespace crivo::cli {

/// The two options, and what they come to.
class SeedOption {
 public:
  /// `hashes` are the names that --hash may have beside "aes", the default first; `help` is of
  /// --hash.
  void add_to(CLI::App& command, std::span<const std::string_view> hashes, const std::string& help);

  /// Whether a seed was named.
  bool is_given() const { return seed_ != std::to_string(kDefaultSeed) || hash_ == kAes; }
  /// Whether it is drawn when it is put in.
  bool is_drawn() const { return seed_ == "random"; }
  /// Puts seed and keyed hash into `options`. Throws Error(usage): a seed of 128 bits for another
  /// hash than aes.
  void put_in(BuildOptions& options) const;
  /// The hash that was named, the default where that is "aes".
  const std::string& hash() const { return hash_ == kAes ? default_ : hash_; }

 private:
  static constexpr std::string_view kAes = "aes";

  std::string seed_ = std::to_string(kDefaultSeed);
  std::string default_;
  std::string hash_;
};

}  // namespace crivo::cli
