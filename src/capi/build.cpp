// SPDX-License-Identifier: Apache-2.0
#include "crivo/build.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "capi/call.hpp"
#include "capi/input.hpp"
#include "capi/keys.hpp"
#include "crivo/filter_edit.hpp"
#include "crivo/inspect.hpp"
#include "crivo/store_edit.hpp"

struct crivo_buffer {
  std::vector<std::byte> bytes;
};

namespace crivo::capi {
namespace {

/// Of fixed size, so that a thread has nothing to destroy.
constinit thread_local char last_warnings[4096] = {};

Output output_of(const crivo_output& output) {
  if (output.path != nullptr) return output.path;
  if (output.write == nullptr)
    throw Error(ErrorKind::usage, "an output is a path or a function, and this is neither");
  return Output::to([output](std::span<const std::byte> bytes) {
    if (output.write(output.context, bytes.data(), bytes.size()) != 0) fail_cancelled();
  });
}

crivo_summary summary_of(const BuildSummary& built) {
  crivo_summary summary{};
  summary.keys = built.keys;
  summary.duplicates = built.duplicates;
  summary.bytes = built.bytes;
  summary.seed = built.seed;
  summary.fpr = built.fpr.value_or(-1);
  summary.measured_fpr = built.measured_fpr.value_or(-1);
  summary.seconds = built.total_seconds;
  summary.temp_bytes = built.temp_bytes;
  summary.threads = built.threads;
  summary.value_bits = built.value_bits;
  copy_text(built.digest, summary.digest);
  return summary;
}

/// Runs work(options).
template <typename Work>
void with_options(const crivo_build_options* given, Work&& work) {
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

/// Tells what estimate(options) says.
template <typename Estimate>
crivo_status give_estimate(const crivo_build_options* given, crivo_estimate* room,
                           Estimate&& estimate) {
  return call([&] {
    check_struct_size(room->struct_size);
    BuildEstimate found;
    with_options(given, [&](const BuildOptions& options) { found = estimate(options); });
    give(crivo_estimate{.struct_size = 0,
                        .keys = found.keys,
                        .memory_bytes = found.memory_bytes,
                        .minimum_memory_bytes = found.minimum_memory_bytes,
                        .temp_bytes = found.temp_bytes,
                        .output_bytes = found.output_bytes,
                        .partitions = found.partitions,
                        .seconds = found.seconds,
                        .would_be_refused = found.warning.empty() ? 0 : 1},
         room);
  });
}

/// Runs build(input, output, options), and tells what it did.
template <typename Build>
crivo_status run_build(const crivo_input* input, const crivo_output* output,
                       const crivo_build_options* given, crivo_summary* summary, Build&& build) {
  return call([&] {
    last_warnings[0] = '\0';
    if (summary != nullptr) check_struct_size(summary->struct_size);
    BuildSummary built;
    with_options(given, [&](const BuildOptions& options) {
      built = build(input->input, output_of(*output), options);
    });
    if (summary != nullptr) give(summary_of(built), summary);
    std::string warnings;
    for (const Warning& warning : built.warnings)
      warnings += (warnings.empty() ? "" : "\n") + warning.text;
    copy_text(warnings, last_warnings);
  });
}

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

ValueForm value_form(const crivo_map_options& from) {
  const std::string named = text_or(from.value_type, "unsigned");
  for (const ValueType type :
       {ValueType::unsigned_integer, ValueType::signed_integer, ValueType::decimal}) {
    if (value_type_name(type) == named) return {type, from.scale};
  }
  throw Error(ErrorKind::usage,
              "unknown type of values '" + named + "'; there are: unsigned, signed, decimal");
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
  options.form = value_form(from);
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
  return options;
}

using Edit = FilterEdit (*)(const std::filesystem::path&, const KeyInput&,
                            const FilterEditOptions&);
crivo_status edit(Edit change, const char* path, const crivo_input* input,
                  const crivo_edit_options* given) {
  return call([&] {
    const crivo_edit_options from = taken(given);
    with_resources(from.resources, [&](const Resources& resources) {
      (void)change(path, input->input,
                   {.ignore_duplicates = from.ignore_duplicates != 0,
                    .overfill = from.overfill != 0,
                    .resources = resources});
    });
  });
}

using Update = StoreEdit (*)(const std::filesystem::path&, const KeyInput&, Progress*);
crivo_status update(Update change, const char* directory, const crivo_input* input,
                    const crivo_resources* resources, crivo_store_edit* edit) {
  return call([&] {
    if (edit != nullptr) check_struct_size(edit->struct_size);
    StoreEdit done;
    with_resources(resources, [&](const Resources& taken_resources) {
      done = change(directory, input->input, taken_resources.progress);
    });
    if (edit == nullptr) return;
    give(crivo_store_edit{0, done.given, done.absent, done.records}, edit);
  });
}

using Combine = FilterCombination (*)(std::span<const std::filesystem::path>,
                                      const std::filesystem::path&, bool);
crivo_status combine(Combine both, const char* const* paths, size_t count, const char* output,
                     int replace) {
  return call([&] {
    const std::vector<std::filesystem::path> all(paths, paths + count);
    (void)both(all, output, replace != 0);
  });
}

}  // namespace
}  // namespace crivo::capi

using namespace crivo;

crivo_status crivo_buffer_new(crivo_buffer** buffer) {
  return capi::call([&] { *buffer = new crivo_buffer; });
}
int crivo_buffer_write(void* buffer, const void* data, size_t size) {
  std::vector<std::byte>& bytes = static_cast<crivo_buffer*>(buffer)->bytes;
  const auto* const first = static_cast<const std::byte*>(data);
  return capi::call([&] { bytes.insert(bytes.end(), first, first + size); });
}
crivo_bytes crivo_buffer_bytes(const crivo_buffer* buffer) {
  return {buffer->bytes.data(), buffer->bytes.size()};
}
void crivo_buffer_free(crivo_buffer* buffer) {
  delete buffer;
}

const char* crivo_warnings(void) {
  return capi::last_warnings;
}

crivo_status crivo_build_mphf(const crivo_input* input, const crivo_output* output,
                              const crivo_mphf_options* mphf, const crivo_build_options* options,
                              crivo_summary* summary) {
  return capi::run_build(input, output, options, summary,
                         [&](const KeyInput& keys, const Output& to, const BuildOptions& how) {
                           return build_mphf(keys, to, capi::mphf_options(mphf), how);
                         });
}
crivo_status crivo_build_filter(const crivo_input* input, const crivo_output* output,
                                const crivo_filter_options* filter,
                                const crivo_build_options* options, crivo_summary* summary) {
  return capi::run_build(input, output, options, summary,
                         [&](const KeyInput& keys, const Output& to, const BuildOptions& how) {
                           return build_filter(keys, to, capi::filter_options(filter), how);
                         });
}
crivo_status crivo_build_map(const crivo_input* input, const crivo_output* output,
                             const crivo_map_options* map, const crivo_build_options* options,
                             crivo_summary* summary) {
  return capi::run_build(input, output, options, summary,
                         [&](const KeyInput& keys, const Output& to, const BuildOptions& how) {
                           return build_map(keys, to, capi::map_options(map), how);
                         });
}
crivo_status crivo_build_store(const crivo_input* input, const crivo_output* output,
                               const crivo_store_options* store, const crivo_build_options* options,
                               crivo_summary* summary) {
  return capi::run_build(input, output, options, summary,
                         [&](const KeyInput& keys, const Output& to, const BuildOptions& how) {
                           return build_store(keys, to, capi::store_options(store), how);
                         });
}

crivo_status crivo_estimate_mphf(const crivo_input* input, const crivo_mphf_options* mphf,
                                 const crivo_build_options* options, crivo_estimate* estimate) {
  return capi::give_estimate(options, estimate, [&](const BuildOptions& how) {
    return estimate_mphf(input->input, capi::mphf_options(mphf), how);
  });
}
crivo_status crivo_estimate_filter(const crivo_input* input, const crivo_filter_options* filter,
                                   const crivo_build_options* options, crivo_estimate* estimate) {
  return capi::give_estimate(options, estimate, [&](const BuildOptions& how) {
    return estimate_filter(input->input, capi::filter_options(filter), how);
  });
}
crivo_status crivo_estimate_map(const crivo_input* input, const crivo_map_options* map,
                                const crivo_build_options* options, crivo_estimate* estimate) {
  return capi::give_estimate(options, estimate, [&](const BuildOptions& how) {
    return estimate_map(input->input, capi::map_options(map), how);
  });
}
crivo_status crivo_estimate_store(const crivo_input* input, const crivo_store_options* store,
                                  const crivo_build_options* options, crivo_estimate* estimate) {
  return capi::give_estimate(options, estimate, [&](const BuildOptions& how) {
    return estimate_store(input->input, capi::store_options(store), how);
  });
}

crivo_status crivo_random_seed(uint64_t* seed) {
  return capi::call([&] { *seed = random_seed(); });
}

crivo_status crivo_filter_add(const char* path, const crivo_input* input,
                              const crivo_edit_options* options) {
  return capi::edit(add_to_filter, path, input, options);
}
crivo_status crivo_filter_remove(const char* path, const crivo_input* input,
                                 const crivo_edit_options* options) {
  return capi::edit(remove_from_filter, path, input, options);
}
crivo_status crivo_filter_unite(const char* const* paths, size_t count, const char* output,
                                int replace) {
  return capi::combine(unite_filters, paths, count, output, replace);
}
crivo_status crivo_filter_intersect(const char* const* paths, size_t count, const char* output,
                                    int replace) {
  return capi::combine(intersect_filters, paths, count, output, replace);
}

crivo_status crivo_store_set(const char* directory, const crivo_input* input,
                             const crivo_resources* resources, crivo_store_edit* edit) {
  return capi::update(set_records, directory, input, resources, edit);
}
crivo_status crivo_store_remove(const char* directory, const crivo_input* input,
                                const crivo_resources* resources, crivo_store_edit* edit) {
  return capi::update(remove_records, directory, input, resources, edit);
}

crivo_status crivo_verify(const char* path, const crivo_resources* resources) {
  return capi::call([&] {
    capi::with_resources(resources, [&](const Resources& taken) { verify(path, taken); });
  });
}
crivo_status crivo_verify_keys(const char* path, const crivo_input* input, int values,
                               const crivo_resources* resources, uint64_t* keys) {
  return capi::call([&] {
    std::uint64_t count = 0;
    capi::with_resources(resources, [&](const Resources& taken) {
      count = verify_keys(path, input->input, {.values = values != 0, .resources = taken});
    });
    if (keys != nullptr) *keys = count;
  });
}
