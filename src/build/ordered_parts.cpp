// SPDX-License-Identifier: Apache-2.0
#include "build/ordered_parts.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "build/dictionary_memory.hpp"
#include "build/keys_in_order.hpp"
#include "build/store_output.hpp"
#include "input/valued_text.hpp"
#include "records/build/record_text.hpp"

namespace crivo::index {
namespace {

/// For the sorted texts, beside the spool and the hashes of all keys.
std::uint64_t text_memory(const BuildFrame& frame, const records::RecordSpool& spool,
                          std::uint64_t keys) noexcept {
  const std::uint64_t all = frame.budget().stream_bytes();
  const std::uint64_t taken = spool.memory_bytes() + keys * sizeof(Hash128);
  return std::max(record_memory(frame, spool), all - std::min(all, taken));
}

}  // namespace

OrderedParts::OrderedParts(const records::RecordSpool& spool, records::Duplicates duplicates,
                           records::RecordCoding coding, const hashing::SeededHash& hash,
                           std::uint64_t keys, BuildFrame& frame)
    : coding_(std::move(coding)),
      hash_(hash),
      context_(frame.context()),
      memory_bytes_(text_memory(frame, spool, keys)),
      temp_bytes_(spool.temp_bytes()) {
  RecordTexts texts =
      record_texts_of(spool, duplicates, {memory_bytes_, frame.temp_dir()}, context_);
  texts_ = std::move(texts.texts);
  if (texts.refer_to_spool) spool_ = &spool;
}

void OrderedParts::for_each(const std::function<void(const records::HalvedRecord& record)>& use) {
  std::string key;
  base::Bytes room;
  temp_bytes_ += for_each_in_order(
      *texts_, false, memory_bytes_, context_, [&](std::string_view text, std::uint64_t) {
        const std::string_view behind_key = input::read_begun_text(text, key);
        use({hash_(key).hi, key, records::read_record_text(spool_, behind_key, room)});
      });
  temp_bytes_ += texts_->temp_bytes();
  texts_.reset();
}

}  // namespace crivo::index
