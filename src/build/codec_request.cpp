// SPDX-License-Identifier: Apache-2.0
#include "build/codec_request.hpp"

#include <string>
#include <vector>

#include "base/refuse_option.hpp"
#include "records/backend.hpp"

namespace crivo {

namespace index {

records::CodecRequest codec_request(const StoreOptions& store) {
  records::CodecRequest request{.codec = {}, .block_bytes = store.block_bytes};
  request.keys_apart = store.ordered;
  request.goal = records::find_goal(store.goal);
  if (store.codec == "auto") return request;
  request.codec = records::find_codec(std::string_view(store.codec)).id;
  if (store.goal != StoreOptions{}.goal)
    base::refuse_option("goal",
                        "is what codec auto chooses by, and " + store.codec + " was asked for");
  return request;
}

}  // namespace index

std::span<const std::string_view> store_backends() noexcept {
  return records::backend_names();
}

std::span<const std::string_view> store_goals() noexcept {
  return records::goal_names();
}

std::span<const std::string_view> store_codecs() noexcept {
  static const std::vector<std::string_view> kNames = [] {
    std::vector<std::string_view> names{"auto"};
    const auto codecs = records::codec_names();
    names.insert(names.end(), codecs.begin(), codecs.end());
    return names;
  }();
  return kNames;
}

}  // namespace crivo
