/// A file of any kind, opened for lookups: what query and bench work on.
#pragma once

#include <filesystem>
#include <optional>
#include <variant>

#include "crivo/filter.hpp"
#include "crivo/map.hpp"
#include "crivo/mphf.hpp"
#include "crivo/store.hpp"

namespace crivo::cli {

using Opened = std::variant<Mphf, Filter, Map, Store>;

/// Opens `path` as what it is: a directory is a store, a file whatever its header says.
Opened open_any(const std::filesystem::path& path);

}  // namespace crivo::cli
