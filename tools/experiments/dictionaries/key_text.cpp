#include "experiments/dictionaries/key_text.hpp"

#include <algorithm>

#include "crivo/error.hpp"

namespace crivo::experiments {

KeyText::KeyText(std::string_view text)
    : text_(text), size_(static_cast<std::uint32_t>(std::ranges::count(text, '\0'))) {
  if (!text.empty() && text.back() != '\0') {
    throw Error(ErrorKind::usage, "key text: there is no NUL after the last key");
  }
  if (text.size() >= kNone) {
    throw Error(ErrorKind::usage, "key text: offsets of 4 bytes do not reach beyond 4 GiB");
  }
}

}  // namespace crivo::experiments
