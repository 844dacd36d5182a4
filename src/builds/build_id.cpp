// SPDX-License-Identifier: Apache-2.0
#include "builds/build_id.hpp"

#include <array>
#include <charconv>
#include <optional>

#include "crivo/error.hpp"

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
          {"backend", store.backend},
          {"codec", store.codec},
          {"block_bytes", std::to_string(store.block_bytes)}};
}

namespace {

/// The value of a choice. A missing or malformed one is Error(usage), as is one that would be
/// refused of a user.
template <typename Number>
Number number_of(const file::Metadata& choices, std::string_view name) {
  const auto found = choices.find(name);
  Number number{};
  if (found != choices.end()) {
    const std::string& text = found->second;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec == std::errc() && parsed.ptr == text.data() + text.size()) return number;
  }
  throw Error(ErrorKind::usage, "no choice of " + std::string(name));
}

std::string text_of(const file::Metadata& choices, std::string_view name) {
  const auto found = choices.find(name);
  if (found == choices.end()) throw Error(ErrorKind::usage, "no choice of " + std::string(name));
  return found->second;
}

std::optional<double> rate_of(const file::Metadata& choices, std::string_view name) {
  if (choices.find(name) == choices.end()) return std::nullopt;
  return number_of<double>(choices, name);
}

bool is_chosen(const file::Metadata& choices, std::string_view name) {
  return number_of<unsigned>(choices, name) != 0;
}

}  // namespace

MphfOptions mphf_options(const file::Metadata& choices) {
  MphfOptions mphf;
  mphf.algorithm = text_of(choices, "algorithm");
  mphf.effort = number_of<unsigned>(choices, "effort");
  mphf.signature_bits = number_of<unsigned>(choices, "signature_bits");
  mphf.unbiased = is_chosen(choices, "unbiased");
  return mphf;
}

FilterOptions filter_options(const file::Metadata& choices) {
  FilterOptions filter;
  filter.type = text_of(choices, "type");
  filter.capacity = number_of<std::uint64_t>(choices, "capacity");
  filter.hashes = number_of<unsigned>(choices, "hashes");
  filter.counter_bits = number_of<unsigned>(choices, "counter_bits");
  filter.arity = number_of<unsigned>(choices, "arity");
  filter.semi_sorted = is_chosen(choices, "semi_sorted");
  filter.fpr = rate_of(choices, "fpr");
  filter.bits = rate_of(choices, "bits");
  return filter;
}

MapOptions map_options(const file::Metadata& choices) {
  MapOptions map;
  map.algorithm = text_of(choices, "algorithm");
  map.values = is_chosen(choices, "values");
  map.value_bits = number_of<unsigned>(choices, "value_bits");
  map.compress = is_chosen(choices, "compress");
  map.arity = number_of<unsigned>(choices, "arity");
  map.signature_bits = number_of<unsigned>(choices, "signature_bits");
  if (choices.find("value_type") != choices.end()) {
    const std::string name = text_of(choices, "value_type");
    for (const ValueType type : {ValueType::signed_integer, ValueType::decimal}) {
      if (value_type_name(type) == name) map.form.type = type;
    }
    map.form.scale = number_of<unsigned>(choices, "value_scale");
  }
  return map;
}

StoreOptions store_options(const file::Metadata& choices) {
  StoreOptions store;
  store.algorithm = text_of(choices, "algorithm");
  store.signature_bits = number_of<unsigned>(choices, "signature_bits");
  store.backend = text_of(choices, "backend");
  store.codec = text_of(choices, "codec");
  store.block_bytes = number_of<std::uint32_t>(choices, "block_bytes");
  return store;
}

file::Metadata metadata_of(const MphfOptions& mphf) {
  file::Metadata metadata{{"crivo.algorithm", mphf.algorithm}};
  if (mphf.effort != 0) metadata["crivo.effort"] = std::to_string(mphf.effort);
  return metadata;
}

file::Metadata metadata_of(const FilterOptions& filter) {
  file::Metadata metadata{{"crivo.type", filter.type}};
  if (filter.fpr) metadata["crivo.asked_fpr"] = exact_text(*filter.fpr);
  return metadata;
}

file::Metadata metadata_of(const MapOptions& map) {
  return {{"crivo.algorithm", map.algorithm}};
}

file::Metadata metadata_of(const StoreOptions& store) {
  return {{"crivo.algorithm", store.algorithm}};
}

std::string exact_text(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

}  // namespace crivo::index
