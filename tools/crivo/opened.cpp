#include "crivo/opened.hpp"

#include "crivo/inspect.hpp"

namespace crivo::cli {

Opened open_any(const std::filesystem::path& path) {
  const std::string kind = inspect(path).kind;
  if (kind == "mphf") return Mphf::open(path);
  if (kind == "filter") return Filter::open(path);
  if (kind == "map") return Map::open(path);
  return Store::open(path);
}

}  // namespace crivo::cli
