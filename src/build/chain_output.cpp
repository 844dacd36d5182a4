// SPDX-License-Identifier: Apache-2.0
#include "build/chain_output.hpp"

#include <system_error>

#include "file/manifest.hpp"
#include "file/trust/signature_check.hpp"

namespace crivo::exact {

using Path = std::filesystem::path;

std::string link_name(const Path& folder, const Path& file) {
  const Path resolved =
      std::filesystem::weakly_canonical(std::filesystem::absolute(file).parent_path()) /
      file.filename();
  const Path root = std::filesystem::weakly_canonical(std::filesystem::absolute(folder));
  std::string name = resolved.lexically_relative(root).generic_string();
  if (!file::is_part_name(name)) {
    throw Error(ErrorKind::usage, file.string() +
                                      ": is not in the folder of the chain, which names its files "
                                      "by their paths below it");
  }
  return name;
}

void warn_of_signature(const Path& output, std::vector<Warning>& warnings) {
  const Path signature = trust::signature_path(output);
  std::error_code ignored;
  if (!std::filesystem::exists(signature, ignored)) return;
  warnings.push_back({signature.string() +
                      ": signs the old chain, so readers with a public key will refuse the new "
                      "one; sign the chain again, or remove the signature"});
}

}  // namespace crivo::exact
