// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "base/text.hpp"
#include "lookup/describe.hpp"
#include "lookup/dictionary_file.hpp"
#include "lookup/exact_file.hpp"
#include "lookup/filter_file.hpp"
#include "lookup/kinds.hpp"
#include "lookup/map_file.hpp"

namespace crivo::index {

std::string built_as(const FileInfo& info, const char* metadata_name, std::string_view otherwise) {
  const auto named = info.metadata.find(metadata_name);
  return named != info.metadata.end() ? named->second : std::string(otherwise);
}

namespace {

/// Metadata is free text: what is no number is none.
std::optional<double> asked_fpr(const FileInfo& info) {
  const auto asked = info.metadata.find("crivo.fpr");
  if (asked == info.metadata.end()) return std::nullopt;
  return base::number_in<double>(asked->second);
}

std::string number(const char* format, double value) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

/// Adds the type of the numbers beside the keys.
void describe_values(const file::Container& container, FileInfo& info) {
  info.has_values = true;
  info.value_form = value_form(container.header());
  const std::string type = value_type_name(info.value_form.type);
  const bool is_decimal = info.value_form.type == ValueType::decimal;
  const std::string scale = std::to_string(info.value_form.scale);
  info.rows.push_back(
      {"value_type", type, "value type", type + (is_decimal ? ", scale " + scale : "")});
  if (is_decimal) info.rows.push_back({"value_scale", std::uint64_t{info.value_form.scale}});
}

}  // namespace

void describe_refusals(unsigned bits, std::string_view otherwise, FileInfo& info) {
  describe_signatures(bits, otherwise, info);
  if (bits != 0) info.fpr = std::ldexp(1.0, -static_cast<int>(bits));
}

void describe_overhead(double least_bits, FileInfo& info) {
  if (info.keys == 0 || least_bits == 0) return;
  const double bits = 8.0 * static_cast<double>(info.bytes) / static_cast<double>(info.keys);
  const double ratio = bits / least_bits;
  info.rows.push_back(
      {"overhead", ratio - 1, "ratio",
       number("%.4f of the least, ", ratio) + number("%.6g bits per key", least_bits)});
}

void describe_ranks(const RankIndex& ranks, FileInfo& info) {
  info.algorithm = built_as(info, "crivo.algorithm", ranks.algorithm);
  info.parameters = ranks.function->parameters();
}

void describe_mphf(const file::Container& container, FileInfo& info) {
  const RankIndex ranks(container);
  describe_ranks(ranks, info);
  describe_refusals(ranks.signatures.bits(), "any key gets some rank", info);
}

void describe_filter(const file::Container& container, FileInfo& info) {
  const filter::FilterFile filter(container);
  info.algorithm = built_as(info, "crivo.type", filter.type->name);
  info.algorithm_name = "type";
  info.fpr = filter.membership->fpr();
  info.asked_fpr = asked_fpr(info);
  info.parameters = filter.membership->parameters();
}

void describe_map(const file::Container& container, FileInfo& info) {
  const map::MapFile map(container);
  info.algorithm = built_as(info, "crivo.algorithm", map.algorithm());
  info.value_bits = map.function().width();
  info.rows.push_back({"value_bits", std::uint64_t{info.value_bits}, "value bits",
                       std::to_string(info.value_bits)});
  describe_values(container, info);
  const std::optional<double> entropy = map.function().entropy();
  if (entropy) {
    info.rows.push_back({"entropy", *entropy, "entropy",
                         number("%.6g bits, of the value of a random key", *entropy)});
  }
  describe_overhead(entropy.value_or(info.value_bits) + map.signature_bits(), info);
  describe_refusals(map.signature_bits(), "any key gets some value", info);
  info.parameters = map.function().parameters();
}

void describe_exact(const file::Container& container, FileInfo& info) {
  const exact::ExactFile exact(container);
  info.algorithm = built_as(info, "crivo.algorithm", "ribbon");
  info.fpr = exact.set->outside_rate();
  info.fpr_keys = kOutsideKeys;
  exact.set->describe(info.parameters);
}

void describe_dictionary(const dictionary::Reader& reader, FileInfo& info) {
  const dictionary::Head& head = reader.head();
  info.parameters = {{"block_keys", std::uint64_t{head.block_keys}},
                     {"token_bits", std::uint64_t{head.token_bits}},
                     {"longest_key", head.longest_key}};
}

void describe_dictionary(const file::Container& container, FileInfo& info) {
  const dictionary::Reader reader = dictionary::open_dictionary(container);
  info.algorithm = "blocks";
  if (reader.values()) describe_values(container, info);
  describe_dictionary(reader, info);
  if (const auto hashed = dictionary::open_hashed(container))
    info.parameters.push_back({"signature_bits", std::uint64_t{hashed->signature_bits()}});
}

void verify_dictionary(const file::Container& container, unsigned /*threads*/,
                       const std::function<void(std::uint64_t)>& /*progress*/) {
  dictionary::check_directory(dictionary::open_dictionary(container), container);
}

}  // namespace crivo::index
