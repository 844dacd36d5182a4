// SPDX-License-Identifier: Apache-2.0
#include "crivo/build.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "capi/call.hpp"
#include "capi/input.hpp"
#include "capi/options.hpp"
#include "capi/run_build.hpp"
#include "crivo/inspect.hpp"

struct crivo_buffer {
  std::vector<std::byte> bytes;
};

namespace crivo::capi {
namespace {

Output output_of(const crivo_output& output) {
  if (output.path != nullptr) return output.path;
  if (output.write == nullptr)
    throw Error(ErrorKind::usage, "the output has neither a path nor a function");
  return Output::to([output](std::span<const std::byte> bytes) {
    if (output.write(output.context, bytes.data(), bytes.size()) != 0) fail_cancelled();
  });
}

/// Runs build(input, output, options), and tells what it did.
template <typename Build>
crivo_status run_output_build(const crivo_input* input, const crivo_output* output,
                              const crivo_build_options* given, crivo_summary* summary,
                              Build&& build) {
  return run_build(given, summary, [&](const BuildOptions& options) {
    return build(input->input, output_of(*output), options);
  });
}

/// Tells what estimate(options) says.
template <typename Estimate>
crivo_status give_estimate(const crivo_build_options* given, crivo_estimate* room,
                           Estimate&& estimate) {
  return call([&] {
    check_struct_size(room->struct_size);
    BuildEstimate found;
    with_build_options(given, [&](const BuildOptions& options) { found = estimate(options); });
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

crivo_status crivo_build_mphf(const crivo_input* input, const crivo_output* output,
                              const crivo_mphf_options* mphf, const crivo_build_options* options,
                              crivo_summary* summary) {
  return capi::run_output_build(
      input, output, options, summary,
      [&](const KeyInput& keys, const Output& to, const BuildOptions& how) {
        return build_mphf(keys, to, capi::mphf_options(mphf), how);
      });
}
crivo_status crivo_build_filter(const crivo_input* input, const crivo_output* output,
                                const crivo_filter_options* filter,
                                const crivo_build_options* options, crivo_summary* summary) {
  return capi::run_output_build(
      input, output, options, summary,
      [&](const KeyInput& keys, const Output& to, const BuildOptions& how) {
        return build_filter(keys, to, capi::filter_options(filter), how);
      });
}
crivo_status crivo_build_map(const crivo_input* input, const crivo_output* output,
                             const crivo_map_options* map, const crivo_build_options* options,
                             crivo_summary* summary) {
  return capi::run_output_build(
      input, output, options, summary,
      [&](const KeyInput& keys, const Output& to, const BuildOptions& how) {
        return build_map(keys, to, capi::map_options(map), how);
      });
}
crivo_status crivo_build_store(const crivo_input* input, const crivo_output* output,
                               const crivo_store_options* store, const crivo_build_options* options,
                               crivo_summary* summary) {
  return capi::run_output_build(
      input, output, options, summary,
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
