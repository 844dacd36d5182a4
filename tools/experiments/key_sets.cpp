#include "experiments/key_sets.hpp"

#include <algorithm>
#include <utility>

#include "crivo/error.hpp"

namespace crivo::experiments {

KeySet KeySet::generate(gen::Kind kind, std::uint64_t count, std::uint64_t first) {
  constexpr std::uint64_t kBlock = std::uint64_t{1} << 16;
  const auto generator = gen::make_generator(kind, 0, gen::Form::nul);
  std::string text;
  for (std::uint64_t made = 0; made < count; made += kBlock) {
    generator->append_block(first + made, std::min(kBlock, count - made), text);
  }
  return of(std::move(text));
}

KeySet KeySet::of(std::string text) {
  if (!text.empty() && text.back() != '\0') {
    throw Error(ErrorKind::usage, "a key set's text has no zero byte after its last key");
  }
  if (text.size() >= UINT32_MAX) {
    throw Error(ErrorKind::usage, "the keys of an experiment have at most 4 GiB in all");
  }
  KeySet set;
  set.text_ = std::move(text);
  set.starts_.reserve(static_cast<std::size_t>(std::ranges::count(set.text_, '\0')) + 1);
  set.starts_.push_back(0);
  for (std::size_t at = 0; at < set.text_.size();) {
    at = set.text_.find('\0', at) + 1;
    set.starts_.push_back(static_cast<std::uint32_t>(at));
  }
  return set;
}

}  // namespace crivo::experiments
