// SPDX-License-Identifier: Apache-2.0
#include "capi/build/options.hpp"

#include <map>
#include <string>
#include <string_view>

#include "capi/call.hpp"
#include "crivo/build/kinds.hpp"

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
  return repeated_records_named(text_or(given, "first"));
}

ValueForm value_form(const char* given, unsigned scale) {
  return {value_type_named(text_or(given, "unsigned")), scale};
}

void with_build_options(const crivo_build_options* given,
                        const std::function<void(const BuildOptions&)>& work) {
  const crivo_build_options from = taken(given);
  BuildOptions options{.seed = from.seed,
                       .seed_high = from.seed_high,
                       .keyed_hash = from.keyed_hash != 0,
                       .aes_hash = from.aes_hash != 0,
                       .ignore_duplicates = from.ignore_duplicates != 0,
                       .replace = from.replace != 0,
                       .notes = named_values(from.notes, "note")};
  with_resources(from.resources, [&](const Resources& resources) {
    options.resources = resources;
    work(options);
  });
}

}  // namespace crivo::capi
