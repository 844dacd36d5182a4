// SPDX-License-Identifier: Apache-2.0
/// Texts that become keys as those of a file did.
#include "crivo/build/key_form.hpp"

#include <cstring>
#include <string>

#include "capi/call.hpp"
#include "crivo.h"
#include "crivo/error.hpp"

using namespace crivo;

crivo_status crivo_key_of(const char* form, const void* text, size_t size, void* buffer,
                          size_t* key_size) {
  return capi::call({{"text", text, size}, {"buffer", buffer}, {"key_size", key_size}}, [&] {
    const auto parsed = keys::parse_form(capi::needed(form, "the form"));
    if (!parsed) throw Error(ErrorKind::usage, quote(form) + " is not a form of keys");
    const std::string key =
        keys::key_of(*parsed, std::string_view(static_cast<const char*>(text), size));
    std::memcpy(buffer, key.data(), key.size());
    *key_size = key.size();
  });
}
