// SPDX-License-Identifier: Apache-2.0
// Opens an MPHF file and looks keys up: one, then many at once.
//
//   crivo build mphf urls.txt -o urls.crv --signature 16
//   lookup urls.crv http://a.example/ http://b.example/

#include <crivo/error.hpp>
#include <crivo/mphf.hpp>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: lookup FILE KEY...\n";
    return 2;
  }
  try {
    const crivo::Mphf mphf = crivo::Mphf::open(argv[1]);  // maps the file and checks it
    std::cout << mphf.size() << " keys\n";

    // One key: a text, bytes, a 64-bit number, or the mphf.hash() of one, which serves every other
    // file with an equal hash_function() too. Any number of threads may do this at once.
    const std::uint64_t rank = mphf.lookup(argv[2]);
    if (rank != crivo::Mphf::kAbsent) std::cout << argv[2] << " has rank " << rank << '\n';

    // Many keys: they are hashed in blocks, and their cache misses overlap.
    const std::vector<std::string_view> keys(argv + 2, argv + argc);
    std::vector<std::uint64_t> ranks(keys.size());
    mphf.lookup(keys, ranks);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      std::cout << keys[i] << '\t'
                << (ranks[i] == crivo::Mphf::kAbsent ? "-" : std::to_string(ranks[i])) << '\n';
    }
  } catch (const crivo::Error& error) {
    std::cerr << "lookup: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
