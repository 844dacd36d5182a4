// SPDX-License-Identifier: Apache-2.0
#include "capi/options.hpp"

#include <string>

#include "capi/call.hpp"

namespace crivo::capi {

FilterOptions filter_options(const crivo_filter_options* given) {
  const crivo_filter_options from = taken(given);
  FilterOptions options;
  options.type = text_or(from.type, options.type.c_str());
  if (from.fpr != 0) options.fpr = from.fpr;
  if (from.bits != 0) options.bits = from.bits;
  options.capacity = from.capacity;
  options.hashes = from.hashes;
  if (from.counter_bits != 0) options.counter_bits = from.counter_bits;
  if (from.arity != 0) options.arity = from.arity;
  options.semi_sorted = from.semi_sorted != 0;
  return options;
}

MphfOptions mphf_options(const crivo_mphf_options* given) {
  const crivo_mphf_options from = taken(given);
  MphfOptions options;
  options.algorithm = text_or(from.algorithm, options.algorithm.c_str());
  options.effort = from.effort;
  options.signature_bits = from.signature_bits;
  options.hash = text_or(from.hash, options.hash.c_str());
  options.unbiased = from.unbiased != 0;
  return options;
}

RepeatedRecords repeated_records(const char* given) {
  const std::string named = text_or(given, "first");
  if (named == "first") return RepeatedRecords::first;
  if (named == "last") return RepeatedRecords::last;
  if (named == "all") return RepeatedRecords::all;
  throw Error(ErrorKind::usage,
              "unknown value '" + named + "' for repeated records; use first, last or all");
}

ValueForm value_form(const char* given, unsigned scale) {
  const std::string named = text_or(given, "unsigned");
  for (const ValueType type :
       {ValueType::unsigned_integer, ValueType::signed_integer, ValueType::decimal}) {
    if (value_type_name(type) == named) return {type, scale};
  }
  throw Error(ErrorKind::usage,
              "unknown type of values '" + named + "'; use unsigned, signed or decimal");
}

MapOptions map_options(const crivo_map_options* given) {
  const crivo_map_options from = taken(given);
  MapOptions options;
  options.algorithm = text_or(from.algorithm, options.algorithm.c_str());
  options.values = from.values != 0;
  options.value_bits = from.value_bits;
  options.compress = from.compress != 0;
  if (from.arity != 0) options.arity = from.arity;
  options.signature_bits = from.signature_bits;
  options.form = value_form(from.value_type, from.scale);
  return options;
}

StoreOptions store_options(const crivo_store_options* given) {
  const crivo_store_options from = taken(given);
  StoreOptions options;
  options.algorithm = text_or(from.algorithm, options.algorithm.c_str());
  if (from.signature_bits != 0) options.signature_bits = from.signature_bits;
  options.codec = text_or(from.codec, options.codec.c_str());
  if (from.block_bytes != 0) options.block_bytes = from.block_bytes;
  options.backend = text_or(from.backend, options.backend.c_str());
  options.repeated = repeated_records(from.repeated);
  return options;
}

void with_build_options(const crivo_build_options* given,
                        const std::function<void(const BuildOptions&)>& work) {
  const crivo_build_options from = taken(given);
  BuildOptions options{.seed = from.seed,
                       .keyed_hash = from.keyed_hash != 0,
                       .ignore_duplicates = from.ignore_duplicates != 0,
                       .replace = from.replace != 0};
  with_resources(from.resources, [&](const Resources& resources) {
    options.resources = resources;
    work(options);
  });
}

}  // namespace crivo::capi
