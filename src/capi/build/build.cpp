// SPDX-License-Identifier: Apache-2.0
#include "crivo/build/build.hpp"

#include <vector>

#include "capi/build/input.hpp"
#include "capi/build/run_build.hpp"
#include "capi/call.hpp"
#include "crivo/build/kinds.hpp"
#include "crivo/build/reproduce.hpp"
#include "crivo/inspect.hpp"
#include "crivo/open.hpp"

struct crivo_buffer {
  std::vector<std::byte> bytes;
};

namespace crivo::capi {
namespace {

void append(std::span<const std::byte> bytes, crivo_buffer& buffer) {
  buffer.bytes.insert(buffer.bytes.end(), bytes.begin(), bytes.end());
}

HashFilterOptions hash_filter_of(const crivo_hash_filter_options* given) {
  const crivo_hash_filter_options options = taken(given);
  HashFilterOptions filter;
  if (options.type != nullptr) filter.type = options.type;
  if (options.fpr != 0) filter.fpr = options.fpr;
  return filter;
}

}  // namespace

Output output_of(const crivo_output* given) {
  const crivo_output output = taken(given);
  if (output.path != nullptr) return output.path;
  if (output.write == nullptr)
    throw Error(ErrorKind::usage, "the output has neither a path nor a function");
  if (output.write == crivo_buffer_write) Given("the buffer", output.context).check();
  return Output::to([output](std::span<const std::byte> bytes) {
    // Its own failure is not the program's.
    if (output.write == crivo_buffer_write)
      return append(bytes, *static_cast<crivo_buffer*>(output.context));
    if (output.write(output.context, bytes.data(), bytes.size()) != 0) fail_cancelled();
  });
}

}  // namespace crivo::capi

using namespace crivo;

crivo_status crivo_buffer_new(crivo_buffer** buffer) {
  return capi::call({{"buffer", buffer}}, [&] { *buffer = new crivo_buffer; });
}
int crivo_buffer_write(void* buffer, const void* data, size_t size) {
  const std::span bytes(static_cast<const std::byte*>(data), size);
  return capi::call({{"buffer", buffer}, {"data", data, size}},
                    [&] { capi::append(bytes, *static_cast<crivo_buffer*>(buffer)); });
}
crivo_bytes crivo_buffer_bytes(const crivo_buffer* buffer) {
  return {buffer->bytes.data(), buffer->bytes.size()};
}
void crivo_buffer_free(crivo_buffer* buffer) {
  delete buffer;
}

crivo_status crivo_build(const char* kind, const crivo_input* input, const crivo_output* output,
                         const char* const* choices, const crivo_build_options* options,
                         crivo_summary* summary) {
  return capi::run_build(options, summary, [&](const BuildOptions& how) {
    return build(capi::needed(kind, "the kind"), capi::given_input(input), capi::output_of(output),
                 capi::choices_of(choices), how);
  });
}

crivo_status crivo_estimate_build(const char* kind, const crivo_input* input,
                                  const char* const* choices, const crivo_build_options* options,
                                  crivo_estimate* estimate) {
  return capi::call([&] {
    capi::check_room(estimate, "estimate");
    BuildEstimate found;
    capi::with_build_options(options, [&](const BuildOptions& how) {
      found = crivo::estimate(capi::needed(kind, "the kind"), capi::given_input(input),
                              capi::choices_of(choices), how);
    });
    capi::give(crivo_estimate{.struct_size = 0,
                              .keys = found.keys,
                              .memory_bytes = found.memory_bytes,
                              .minimum_memory_bytes = found.minimum_memory_bytes,
                              .temp_bytes = found.temp_bytes,
                              .output_bytes = found.output_bytes,
                              .partitions = found.partitions,
                              .seconds = found.seconds,
                              .would_be_refused = found.warning.empty() ? 0 : 1},
               estimate);
  });
}

crivo_status crivo_filter_hashes_bytes(size_t count, const crivo_hash_filter_options* options,
                                       size_t* bytes) {
  return capi::call({{"bytes", bytes}},
                    [&] { *bytes = filter_hashes_bytes(count, capi::hash_filter_of(options)); });
}
crivo_status crivo_filter_build_hashes(const uint64_t* hashes, size_t count,
                                       const crivo_hash_filter_options* options, void* memory,
                                       size_t room, size_t* bytes) {
  return capi::call({{"hashes", hashes, count}, {"memory", memory, room}, {"bytes", bytes}}, [&] {
    *bytes = build_filter_hashes(std::span(hashes, count),
                                 std::span(static_cast<std::byte*>(memory), room),
                                 capi::hash_filter_of(options));
  });
}

crivo_status crivo_random_seed(uint64_t* seed) {
  return capi::call({{"seed", seed}}, [&] { *seed = random_seed(); });
}

crivo_status crivo_verify_keys(const char* path, const crivo_input* input, int values,
                               const crivo_resources* resources, uint64_t* keys) {
  return capi::call([&] {
    std::uint64_t count = 0;
    capi::with_resources(resources, [&](const Resources& taken) {
      count = verify_keys(capi::needed(path, "the path"), capi::given_input(input),
                          {.values = values != 0, .resources = taken});
    });
    if (keys != nullptr) *keys = count;
  });
}
