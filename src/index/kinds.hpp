/// Opening a container as the kind of file that the caller wants.
#pragma once

#include <filesystem>
#include <string>

#include "crivo/error.hpp"
#include "file/container.hpp"

namespace crivo::index {

/// Throws Error(usage) for a part of a sharded build, which no key is looked up in.
inline void refuse_part(const file::Container& container) {
  if (container.header().kind != file::Kind::part) return;
  throw Error(ErrorKind::usage, container.name() + ": a part of a sharded build; merge it first");
}

/// The container, which must hold `kind`: Error(usage) if it holds another, or is a part.
inline file::Container of_kind(file::Container container, file::Kind kind) {
  refuse_part(container);
  if (container.header().kind != kind) {
    throw Error(ErrorKind::usage, container.name() + ": holds a " +
                                      std::string(file::kind_name(container.header().kind)) +
                                      ", not a " + std::string(file::kind_name(kind)));
  }
  return container;
}

/// Opens `path`, which must hold `kind`.
inline file::Container open_kind(const std::filesystem::path& path, file::Kind kind,
                                 file::Loading loading = file::Loading::for_a_pass) {
  return of_kind(file::Container::open(path, loading), kind);
}

}  // namespace crivo::index
