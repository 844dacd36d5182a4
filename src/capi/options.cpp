// SPDX-License-Identifier: Apache-2.0
#include "capi/options.hpp"

#include <map>
#include <string>
#include <string_view>

#include "capi/call.hpp"

namespace crivo::capi {

namespace {

/// Texts NAME=VALUE up to NULL; `what` is said of one.
std::map<std::string, std::string, std::less<>> named_values(const char* const* given,
                                                             const std::string& what) {
  std::map<std::string, std::string, std::less<>> values;
  for (; given != nullptr && *given != nullptr; ++given) {
    const std::string_view text = *given;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos)
      throw Error(ErrorKind::usage,
                  "the " + what + " '" + std::string(text) + "' is not NAME=VALUE");
    const std::string name(text.substr(0, equals));
    if (!values.emplace(name, text.substr(equals + 1)).second)
      throw Error(ErrorKind::usage,
                  std::string("the ").append(what) + " " + name + " is given twice");
  }
  return values;
}

}  // namespace

Choices choices_of(const char* const* given) {
  return named_values(given, "choice");
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

void with_build_options(const crivo_build_options* given,
                        const std::function<void(const BuildOptions&)>& work) {
  const crivo_build_options from = taken(given);
  BuildOptions options{.seed = from.seed,
                       .keyed_hash = from.keyed_hash != 0,
                       .ignore_duplicates = from.ignore_duplicates != 0,
                       .replace = from.replace != 0,
                       .notes = named_values(from.notes, "note")};
  with_resources(from.resources, [&](const Resources& resources) {
    options.resources = resources;
    work(options);
  });
}

}  // namespace crivo::capi
