#include "api/build_frame.hpp"
#include "api/store_files.hpp"
#include "crivo/build.hpp"
#include "util/as_error.hpp"

namespace crivo {

void check_output(std::string_view kind, const KeyInput& input, const std::filesystem::path& output,
                  const BuildOptions& options) try {
  const api::BuildFrame frame(options);
  if (kind == "store") {
    (void)frame.output_directory(output, api::store_file_names(), input);
  } else {
    (void)frame.output_file(output, input);
  }
} catch (...) {
  util::rethrow_as_error();
}

}  // namespace crivo
