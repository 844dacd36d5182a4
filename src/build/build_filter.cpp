// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "base/as_error.hpp"
#include "build/build_file.hpp"
#include "build/builds.hpp"
#include "build/built_hash.hpp"
#include "build/choices.hpp"
#include "build/chosen.hpp"
#include "lookup/filter_file.hpp"
#include "lookup/key_hash.hpp"
#include "structures/build/filter.hpp"

namespace crivo {
namespace {

/// That a filter has its keys alone, where it was to have room for others.
void warn_of_capacity(const FilterOptions& filter, BuildSummary& summary) {
  if (filter.capacity == 0 || filter.capacity >= summary.keys) return;
  summary.warnings.push_back({"capacity: " + std::to_string(filter.capacity) +
                                  " is less than the " + std::to_string(summary.keys) +
                                  " keys, for which the filter was made; it has no room " +
                                  "for others",
                              "capacity"});
}

}  // namespace

namespace index {

BuildSummary build_filter(const KeyInput& input, const Output& output, const FilterOptions& filter,
                          const BuildOptions& options, const hashing::HashFamily& hash) {
  const filter::Builder& type = filter::find_type(filter);
  (void)type.forecast(0, filter);  // refuses what it cannot meet before the keys are read
  const hashing::KeyHashId key_hash = built_hash(type.type().key_hash, options);
  FileBuild build{
      .choices = every_choice(chosen(filter)),
      .memory = filter_memory(filter),
      .phases = filter_phases(filter),
      .takes_passes = true,
      .read =
          [&](const KeyInput& keys, input::HashOptions hashing, const base::BuildContext& context,
              const input::UseKeys& use) {
            if (filter.count_duplicates) hashing.duplicates = input::DuplicatePolicy::count;
            hashing.alike = hashing::keys_alike(key_hash);
            if (!filter.prefixes.empty()) hashing.prefixes = filter.prefixes.front();
            input::hash_keys(keys, hashing, context, use);
          },
      .plan = [&](const input::KeySet& set,
                  const base::BuildContext&) { return plan(filter, {.keys = set.keys.size()}); }};
  build.header.kind = file::Kind::filter;
  build.header.key_hash = key_hash;
  KeyInput limited = input;
  limited.format.max_key_bytes =
      std::min(limited.format.max_key_bytes, hashing::max_key_bytes(key_hash));
  BuildSummary summary = build_file(limited, output, build, options, hash);
  warn_of_capacity(filter, summary);
  return summary;
}

}  // namespace index

BuildSummary build_filter(const KeyInput& input, const Output& output, const FilterOptions& filter,
                          const BuildOptions& options) try {
  return index::build_filter(
      input, output, filter, options,
      index::hash_family(index::built_hash(filter::find_type(filter).type().key_hash, options),
                         input));
} catch (...) {
  base::rethrow_as_error();
}

std::span<const std::string_view> filter_types() noexcept {
  return filter::type_names();
}

}  // namespace crivo
