// SPDX-License-Identifier: Apache-2.0
// Opens a filter from elsewhere only if its owner signed it: `shipped FILTER PUBLIC-KEY KEY...`.
#include <crivo/error.hpp>
#include <crivo/filter.hpp>
#include <iostream>

int main(int argc, char** argv) try {
  if (argc < 3) return 2;
  crivo::OpenOptions options;
  options.mode = crivo::OpenMode::copy;  // what was checked cannot change any more
  options.trust = crivo::Trust{.keys = {crivo::PublicKey::read(argv[2])}, .state = "seen.state"};
  const crivo::Filter filter = crivo::Filter::open(argv[1], options);
  for (int i = 3; i < argc; ++i)
    std::cout << argv[i] << (filter.contains(argv[i]) ? "\tmaybe\n" : "\tabsent\n");
  return 0;
} catch (const crivo::Error& error) {  // it is damaged, too old, or somebody else's
  std::cerr << "shipped: " << error.what() << '\n';
  return 1;
}
