#include "experiments/key_sets.hpp"

#include <algorithm>

#include "crivo/error.hpp"

namespace crivo::experiments {

KeySet KeySet::generate(gen::Kind kind, std::uint64_t count) {
  constexpr std::uint64_t kBlock = std::uint64_t{1} << 16;
  const auto generator = gen::make_generator(kind, 0, gen::Form::nul);
  KeySet set;
  set.starts_.reserve(count + 1);
  set.starts_.push_back(0);
  for (std::uint64_t first = 0; first < count; first += kBlock) {
    std::size_t at = set.text_.size();
    generator->append_block(first, std::min(kBlock, count - first), set.text_);
    if (set.text_.size() > UINT32_MAX) {
      throw Error(ErrorKind::usage, "the keys of an experiment have at most 4 GiB in all");
    }
    for (; at < set.text_.size(); set.starts_.push_back(static_cast<std::uint32_t>(at))) {
      at = set.text_.find('\0', at) + 1;
    }
  }
  return set;
}

}  // namespace crivo::experiments
