#include "crivo/build.hpp"
#include "util/system_random.hpp"

namespace crivo {

std::uint64_t random_seed() {
  return util::system_random();
}

}  // namespace crivo
