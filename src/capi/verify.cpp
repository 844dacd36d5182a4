// SPDX-License-Identifier: Apache-2.0
/// Information about files, and their verification.
#include "capi/call.hpp"
#include "capi/opened.hpp"
#include "crivo/inspect.hpp"
#include "crivo/open.hpp"
#include "crivo/suffixes.hpp"

using namespace crivo;

void crivo::capi::give_info(const FileInfo& file, crivo_info* room) {
  check_room(room, "info");
  crivo_info info{};
  copy_text(file.kind, info.kind);
  copy_text(file.algorithm, info.algorithm);
  info.keys = file.keys;
  info.bytes = file.bytes;
  info.seed = file.seed;
  info.fpr = file.fpr.value_or(-1);
  info.signature_bits = file.signature_bits;
  info.value_bits = file.value_bits;
  if (file.has_values) copy_text(value_type_name(file.value_form.type), info.value_type);
  info.scale = file.value_form.scale;
  copy_text(file.hash, info.hash);
  copy_text(file.format_version, info.format_version);
  copy_text(file.digest, info.digest);
  give(info, room);
}

void crivo::capi::give_signature(const Signature& signature, crivo_signature* room) {
  check_room(room, "signature");
  crivo_signature answer{};
  copy_text(signature.key_id, answer.key_id);
  answer.sequence = signature.sequence;
  if (signature.expires) answer.expires = signature.expires->time_since_epoch().count();
  give(answer, room);
}

crivo_status crivo_inspect(const char* path, crivo_info* info) {
  return capi::call([&] { capi::give_info(inspect(capi::needed(path, "the path")), info); });
}

crivo_status crivo_inspect_notes(const char* path, crivo_use_note use, void* context) {
  return capi::call({{"use", use}}, [&] {
    for (const auto& [name, value] : inspect(capi::needed(path, "the path")).metadata) {
      if (!name.starts_with("crivo.") || name == keys::kFormName)
        use(context, name.c_str(), value.c_str());
    }
  });
}

void crivo_guard_reads(void) {
  guard_reads();
}

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
    if (signature != nullptr) capi::give_signature(checked, signature);
  });
}
