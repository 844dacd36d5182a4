// SPDX-License-Identifier: Apache-2.0
/// libcurl, loaded when the first URL is read: it brings some thirty libraries, which would
/// otherwise cost every run of the program 5 MB of memory and 5 ms.
#pragma once

#include <curl/curl.h>

namespace crivo::http {

/// The functions that are called, by their names in libcurl without curl_.
struct Libcurl {
  decltype(&::curl_global_init) global_init;
  decltype(&::curl_easy_init) easy_init;
  decltype(&::curl_easy_cleanup) easy_cleanup;
  decltype(&::curl_easy_setopt) easy_setopt;
  decltype(&::curl_easy_getinfo) easy_getinfo;
  decltype(&::curl_easy_strerror) easy_strerror;
  decltype(&::curl_multi_init) multi_init;
  decltype(&::curl_multi_cleanup) multi_cleanup;
  decltype(&::curl_multi_setopt) multi_setopt;
  decltype(&::curl_multi_add_handle) multi_add_handle;
  decltype(&::curl_multi_remove_handle) multi_remove_handle;
  decltype(&::curl_multi_info_read) multi_info_read;
  decltype(&::curl_multi_perform) multi_perform;
  decltype(&::curl_multi_poll) multi_poll;
  decltype(&::curl_multi_strerror) multi_strerror;
};

/// Stays loaded from the first call on, started. Throws Error(io) where it cannot be.
const Libcurl& libcurl();

}  // namespace crivo::http
