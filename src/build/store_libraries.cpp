// SPDX-License-Identifier: Apache-2.0
#include "build/store_libraries.hpp"

#include <lmdb.h>
#include <zstd.h>

#include <string>

#include "file/section_types.hpp"

namespace crivo::index {

file::Metadata libraries_of(const records::Backend& backend, const records::CodecSection& codec) {
  file::Metadata libraries;
  const auto put = [&](const char* name, std::string version) {
    libraries[std::string(file::kLibraryPrefix) + name] = std::move(version);
  };
  if (backend.section_type == file::kEnvironmentSection) {
    int major = 0;
    int minor = 0;
    int patch = 0;
    mdb_version(&major, &minor, &patch);
    put("lmdb", std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch));
  }
  if (codec.codec == records::CodecId::zstd) put("zstd", ZSTD_versionString());
  return libraries;
}

}  // namespace crivo::index
