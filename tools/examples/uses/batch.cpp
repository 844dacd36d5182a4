// SPDX-License-Identifier: Apache-2.0
// A nightly job: builds a filter of the lines of some files: `batch OUTPUT KEYS...`.
#include <crivo/build/build.hpp>
#include <crivo/error.hpp>
#include <iostream>

int main(int argc, char** argv) try {
  if (argc < 3) return 2;
  crivo::BuildOptions options;
  options.replace = true;  // programs that have the old file open continue with it
  options.resources.memory = std::uint64_t{1} << 30;  // the rest goes to temporary files
  const crivo::KeyInput keys{{argv + 2, argv + argc}, {}};
  const crivo::BuildSummary built = crivo::build_filter(keys, argv[1], {.fpr = 0.001}, options);
  for (const crivo::Warning& warning : built.warnings) std::cerr << warning.text << '\n';
  std::cout << built.keys << " keys, " << built.digest << '\n';
  return 0;
} catch (const crivo::Error& error) {  // nothing was written
  std::cerr << "batch: " << error.what() << '\n';
  return 1;
}
