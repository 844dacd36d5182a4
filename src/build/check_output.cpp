// SPDX-License-Identifier: Apache-2.0
#include "base/as_error.hpp"
#include "build/build_frame.hpp"
#include "crivo/build/build.hpp"
#include "lookup/store_files.hpp"

namespace crivo {

void check_output(std::string_view kind, const KeyInput& input, const Output& output,
                  const BuildOptions& options) try {
  const index::BuildFrame frame(options);
  if (kind == "store") {
    (void)frame.output_directory(output, index::store_file_families(), input);
  } else {
    (void)frame.output_file(output, input);
  }
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
