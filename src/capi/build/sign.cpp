// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <string>

#include "capi/build/run_build.hpp"
#include "capi/call.hpp"
#include "crivo/build/ship.hpp"

using namespace crivo;

crivo_status crivo_sign(const char* path, const crivo_sign_options* options,
                        const crivo_resources* resources, crivo_signature* signature) {
  return capi::call([&] {
    capi::tell_warnings({});
    const crivo_sign_options given = capi::taken(options);
    if (signature != nullptr) capi::check_struct_size(signature->struct_size);
    SignOptions asked{.secret_key = capi::needed(given.secret_key, "the secret key"),
                      .sequence = given.sequence,
                      .replace = given.replace != 0};
    if (given.password != nullptr)
      asked.password = [&given] { return std::string(given.password); };
    if (given.expires != 0)
      asked.expires = std::chrono::sys_seconds(std::chrono::seconds(given.expires));
    SignSummary done;
    capi::with_resources(resources, [&](const Resources& taken) {
      asked.resources = taken;
      done = sign(capi::needed(path, "the path"), asked);
    });
    capi::tell_warnings(done.warnings);
    if (signature == nullptr) return;
    crivo_signature answer{};
    capi::copy_text(done.key_id, answer.key_id);
    answer.sequence = given.sequence;
    answer.expires = given.expires;
    capi::give(answer, signature);
  });
}
