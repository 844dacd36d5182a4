// SPDX-License-Identifier: Apache-2.0
#include "program/seed_option.hpp"

#include <vector>

#include "crivo/error.hpp"
#include "program/values.hpp"

namespace crivo::cli {

void SeedOption::add_to(CLI::App& command, std::span<const std::string_view> hashes,
                        const std::string& help) {
  default_ = hashes.front();
  hash_ = default_;
  std::vector<std::string> names(hashes.begin(), hashes.end());
  names.emplace_back(kAes);
  command.add_option("--seed", seed_, "seed of the key hash; random: keyed, for keys of strangers")
      ->type_name("N|random[:N]")
      ->transform(seed_value())
      ->capture_default_str();
  command.add_option("--hash", hash_, help)->transform(one_of(names))->capture_default_str();
}

void SeedOption::put_in(BuildOptions& options) const {
  const Seed seed = parse_seed(seed_);
  options.seed = seed.number;
  options.aes_hash = hash_ == kAes;
  options.keyed_hash = seed.random && !options.aes_hash;
  if (options.aes_hash) options.seed_high = seed.high;
  if (seed.is_wide && !options.aes_hash)
    throw Error(ErrorKind::usage, "a seed of 128 bits is for the key hash aes alone",
                {.remedy = "hash"});
}

}  // namespace crivo::cli
