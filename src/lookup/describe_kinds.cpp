// SPDX-License-Identifier: Apache-2.0
#include "lookup/describe_kinds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "base/number_text.hpp"
#include "lookup/dictionary_file.hpp"
#include "lookup/dictionary_kind.hpp"
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

void describe_signatures(unsigned bits, FileInfo& info) {
  info.signature_bits = bits;
  if (bits != 0) info.fpr = std::ldexp(1.0, -static_cast<int>(bits));
}

}  // namespace

void describe_ranks(const RankIndex& ranks, FileInfo& info) {
  info.algorithm = built_as(info, "crivo.algorithm", ranks.algorithm);
  info.parameters = ranks.function->parameters();
  describe_signatures(ranks.signatures.bits(), info);
}

void describe_mphf(const file::Container& container, FileInfo& info) {
  describe_ranks(RankIndex(container), info);
}

void describe_filter(const file::Container& container, FileInfo& info) {
  const filter::FilterFile filter(container);
  info.algorithm = built_as(info, "crivo.type", filter.type->name);
  info.fpr = filter.membership->fpr();
  info.asked_fpr = asked_fpr(info);
  info.parameters = filter.membership->parameters();
}

void describe_map(const file::Container& container, FileInfo& info) {
  const map::MapFile map(container);
  info.algorithm = built_as(info, "crivo.algorithm", map.algorithm());
  info.has_values = true;
  info.value_form = value_form(container.header());
  info.value_bits = map.function().width();
  info.value_entropy = map.function().entropy();
  info.parameters = map.function().parameters();
  describe_signatures(map.signature_bits(), info);
}

void describe_exact(const file::Container& container, FileInfo& info) {
  const exact::ExactFile exact(container);
  info.algorithm = built_as(info, "crivo.algorithm", "ribbon");
  info.fpr = exact.set->outside_rate();
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
  info.has_values = reader.values().has_value();
  if (info.has_values) info.value_form = value_form(container.header());
  describe_dictionary(reader, info);
  if (const auto hashed = dictionary::open_hashed(container))
    info.parameters.push_back({"signature_bits", std::uint64_t{hashed->signature_bits()}});
}

void verify_dictionary(const file::Container& container, unsigned /*threads*/,
                       const std::function<void(std::uint64_t)>& /*progress*/) {
  dictionary::check_directory(dictionary::open_dictionary(container), container);
}

}  // namespace crivo::index
