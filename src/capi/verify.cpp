// SPDX-License-Identifier: Apache-2.0
#include "capi/call.hpp"
#include "crivo/inspect.hpp"
#include "crivo/open.hpp"

using namespace crivo;

crivo_status crivo_verify(const char* path, const crivo_resources* resources) {
  return capi::call([&] {
    capi::with_resources(
        resources, [&](const Resources& taken) { verify(capi::needed(path, "the path"), taken); });
  });
}
crivo_status crivo_verify_signed(const char* path, const crivo_trust* trust,
                                 const crivo_resources* resources, crivo_signature* signature) {
  return capi::call({{"trust", trust}}, [&] {
    const Trust trusted = capi::trust_of(*trust);
    Signature checked;
    capi::with_resources(resources, [&](const Resources& taken) {
      checked = verify_signed(capi::needed(path, "the path"), trusted, taken);
    });
    if (signature == nullptr) return;
    capi::check_struct_size(signature->struct_size);
    crivo_signature answer{};
    capi::copy_text(checked.key_id, answer.key_id);
    answer.sequence = checked.sequence;
    if (checked.expires) answer.expires = checked.expires->time_since_epoch().count();
    capi::give(answer, signature);
  });
}
