// SPDX-License-Identifier: Apache-2.0
#include "build/recorded_options.hpp"

#include "crivo/build/key_form.hpp"
#include "crivo/suffixes.hpp"

namespace crivo::index {

BuildOptions recorded_options(const file::Container& container, const Resources& resources) {
  const file::Header& header = container.header();
  BuildOptions build;
  build.seed = header.seed;
  build.keyed_hash = header.key_hash == hashing::KeyHashId::siphash ||
                     header.key_hash == hashing::KeyHashId::keyed_range;
  build.ignore_duplicates = true;
  build.allow_empty_set = true;
  build.resources = resources;
  for (auto& [name, value] : container.metadata())
    if (!name.starts_with("crivo.") || name == keys::kFormName) build.notes.emplace(name, value);
  return build;
}

}  // namespace crivo::index
