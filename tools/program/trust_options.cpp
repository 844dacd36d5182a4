// SPDX-License-Identifier: Apache-2.0
#include "program/trust_options.hpp"

#include "program/common.hpp"
#include "program/option_groups.hpp"
#include "program/values.hpp"

namespace crivo::cli {

void TrustOptions::add_to(CLI::App& command) {
  const InGroup opening(command, kOpeningGroup);
  command
      .add_option("--public-key", public_keys,
                  "refuse the file unless the owner of this key signed it: a file of minisign, or "
                  "its line in base64; can be given more than once")
      ->type_name("KEY")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      .add_option(
          "--state", state,
          "keep the highest sequence seen of each name in this file, and refuse a lower one")
      ->type_name("FILE")
      ->needs(option_named(command, "--public-key"))
      ->transform(output_path());
}

std::optional<Trust> TrustOptions::trust() const {
  if (public_keys.empty()) return std::nullopt;
  Trust trust;
  for (const std::string& key : public_keys) trust.keys.push_back(PublicKey::read(key));
  trust.state = state;
  return trust;
}

OpenOptions TrustOptions::in(OpenOptions options) const {
  options.trust = trust();
  return options;
}

}  // namespace crivo::cli
