// SPDX-License-Identifier: Apache-2.0
/// Whom a command that reads files trusts.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "crivo/open.hpp"

namespace crivo::cli {

/// --public-key, --state.
struct TrustOptions {
  void add_to(CLI::App& command);
  /// Nothing where no key was given. Throws as PublicKey::read() does.
  std::optional<Trust> trust() const;
  /// The same in options for an open.
  OpenOptions in(OpenOptions options) const;

  std::vector<std::string> public_keys;
  std::string state;
};

}  // namespace crivo::cli
