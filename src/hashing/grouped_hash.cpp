// SPDX-License-Identifier: Apache-2.0
#include "hashing/grouped_hash.hpp"

namespace crivo::hashing {
namespace {

class GroupedHash final : public PreparedHash {
 public:
  explicit GroupedHash(const SeededHash& plain) : plain_(plain) {}

  Hash128 operator()(std::string_view text) const noexcept override {
    const std::size_t end = text.find(kGroupEnd);
    const bool has_group = end != std::string_view::npos;
    return in_group(plain_(text.substr(0, end)), plain_(has_group ? text.substr(end + 1) : text));
  }

 private:
  const SeededHash& plain_;
};

}  // namespace

std::unique_ptr<const PreparedHash> grouped_hash(const SeededHash& plain) {
  return std::make_unique<GroupedHash>(plain);
}

}  // namespace crivo::hashing
