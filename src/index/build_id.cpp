#include "index/build_id.hpp"

#include <array>
#include <charconv>

namespace crivo::index {

file::ContentId build_id(const file::Header& header, const stream::KeySums& sums,
                         const file::Metadata& choices) {
  base::FieldWriter w;
  w.u32(static_cast<std::uint32_t>(header.kind));
  w.u32(static_cast<std::uint32_t>(header.key_hash));
  w.u64(header.keys).u64(header.seed).u64(sums.hi).u64(sums.lo).u64(sums.values);
  w.bytes(file::encode(choices));
  return file::content_hash(w.view());
}

file::Metadata choices_of(const MphfOptions& mphf) {
  return {{"algorithm", mphf.algorithm},
          {"effort", std::to_string(mphf.effort)},
          {"signature_bits", std::to_string(mphf.signature_bits)},
          {"unbiased", std::to_string(static_cast<int>(mphf.unbiased))}};
}

file::Metadata choices_of(const FilterOptions& filter) {
  file::Metadata choices{{"type", filter.type},
                         {"capacity", std::to_string(filter.capacity)},
                         {"hashes", std::to_string(filter.hashes)},
                         {"counter_bits", std::to_string(filter.counter_bits)},
                         {"arity", std::to_string(filter.arity)},
                         {"semi_sorted", std::to_string(static_cast<int>(filter.semi_sorted))}};
  if (filter.fpr) choices["fpr"] = exact_text(*filter.fpr);
  if (filter.bits) choices["bits"] = exact_text(*filter.bits);
  return choices;
}

file::Metadata choices_of(const MapOptions& map) {
  file::Metadata choices{{"algorithm", map.algorithm},
                         {"values", std::to_string(static_cast<int>(map.values))},
                         {"value_bits", std::to_string(map.value_bits)},
                         {"compress", std::to_string(static_cast<int>(map.compress))},
                         {"arity", std::to_string(map.arity)},
                         {"signature_bits", std::to_string(map.signature_bits)}};
  if (map.form != ValueForm{}) {
    choices["value_type"] = value_type_name(map.form.type);
    choices["value_scale"] = std::to_string(map.form.scale);
  }
  return choices;
}

file::Metadata choices_of(const StoreOptions& store) {
  return {{"algorithm", store.algorithm},
          {"signature_bits", std::to_string(store.signature_bits)},
          {"codec", store.codec},
          {"block_bytes", std::to_string(store.block_bytes)}};
}

std::string exact_text(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

}  // namespace crivo::index
