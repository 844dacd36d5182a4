// SPDX-License-Identifier: Apache-2.0
// Looks the keys of the command line up in an MPHF file: `lookup urls.crv KEY...`.
#include <crivo/error.hpp>
#include <crivo/mphf.hpp>
#include <iostream>
#include <vector>

int main(int argc, char** argv) try {
  if (argc < 3) return 2;                               // nothing to look up
  const crivo::Mphf mphf = crivo::Mphf::open(argv[1]);  // maps the file and checks it
  if (mphf.lookup(argv[2]) != crivo::Mphf::kAbsent)     // one key, in any number of threads at once
    std::cout << argv[2] << " is one of " << mphf.size() << " keys\n";
  const std::vector<std::string_view> keys(argv + 2, argv + argc);
  std::vector<std::uint64_t> ranks(keys.size());
  mphf.lookup(keys, ranks);  // many keys: their cache misses overlap
  for (std::size_t i = 0; i < keys.size(); ++i)
    std::cout << keys[i] << '\t'
              << (ranks[i] != crivo::Mphf::kAbsent ? std::to_string(ranks[i]) : "-") << '\n';
  return 0;
} catch (const crivo::Error& error) {
  std::cerr << "lookup: " << error.what() << '\n';
  return 1;
}
