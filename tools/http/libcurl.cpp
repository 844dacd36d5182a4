// SPDX-License-Identifier: Apache-2.0
#include "http/libcurl.hpp"

#include <dlfcn.h>

#include <string>

#include "crivo/error.hpp"

namespace crivo::http {
namespace {

[[noreturn]] void fail() {
  const char* const problem = ::dlerror();
  throw Error(ErrorKind::io, std::string("URLs need libcurl, which cannot be loaded: ") +
                                 (problem != nullptr ? problem : "unknown error"));
}

template <typename Function>
void find(void* library, const char* name, Function& function) {
  void* const found = ::dlsym(library, name);
  if (found == nullptr) fail();
  function = reinterpret_cast<Function>(found);
}

Libcurl load() {
  void* const library = ::dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail();
  Libcurl curl{};
  find(library, "curl_global_init", curl.global_init);
  find(library, "curl_easy_init", curl.easy_init);
  find(library, "curl_easy_cleanup", curl.easy_cleanup);
  find(library, "curl_easy_setopt", curl.easy_setopt);
  find(library, "curl_easy_getinfo", curl.easy_getinfo);
  find(library, "curl_easy_strerror", curl.easy_strerror);
  find(library, "curl_multi_init", curl.multi_init);
  find(library, "curl_multi_cleanup", curl.multi_cleanup);
  find(library, "curl_multi_setopt", curl.multi_setopt);
  find(library, "curl_multi_add_handle", curl.multi_add_handle);
  find(library, "curl_multi_remove_handle", curl.multi_remove_handle);
  find(library, "curl_multi_info_read", curl.multi_info_read);
  find(library, "curl_multi_perform", curl.multi_perform);
  find(library, "curl_multi_poll", curl.multi_poll);
  find(library, "curl_multi_strerror", curl.multi_strerror);
  if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
    throw Error(ErrorKind::io, "libcurl cannot start");
  return curl;
}

}  // namespace

const Libcurl& libcurl() {
  static const Libcurl kLoaded = load();
  return kLoaded;
}

}  // namespace crivo::http
