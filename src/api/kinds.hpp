/// Opening a container as the kind of file that the caller wants.
#pragma once

#include <filesystem>
#include <string>

#include "crivo/error.hpp"
#include "file/container.hpp"

namespace crivo::api {

/// Opens `path`, which must hold `kind`: Error(usage) if it holds another.
inline file::Container open_kind(const std::filesystem::path& path, file::Kind kind) {
  file::Container container = file::Container::open(path);
  if (container.header().kind != kind) {
    throw Error(ErrorKind::usage, path.string() + ": holds a " +
                                      std::string(file::kind_name(container.header().kind)) +
                                      ", not a " + std::string(file::kind_name(kind)));
  }
  return container;
}

}  // namespace crivo::api
