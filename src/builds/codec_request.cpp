// SPDX-License-Identifier: Apache-2.0
#include "builds/codec_request.hpp"

#include <string>

#include "base/refuse_option.hpp"
#include "crivo/error.hpp"
#include "records/backend.hpp"

namespace crivo {

namespace index {

records::CodecRequest codec_request(const StoreOptions& store) {
  records::CodecRequest request{.codec = {}, .block_bytes = store.block_bytes};
  if (store.codec != "auto") request.codec = records::find_codec(std::string_view(store.codec)).id;
  if (store.block_bytes < records::kLeastBlock || store.block_bytes > records::kMostBlock) {
    base::refuse_option("block_bytes", store.block_bytes,
                        "is not between " + std::to_string(records::kLeastBlock) + " and " +
                            std::to_string(records::kMostBlock));
  }
  return request;
}

}  // namespace index

std::span<const std::string_view> store_backends() noexcept {
  return records::backend_names();
}

std::span<const std::string_view> store_codecs() noexcept {
  return records::codec_names();
}

}  // namespace crivo
