// SPDX-License-Identifier: Apache-2.0
#include "base/loaded_library.hpp"

#include <dlfcn.h>

#include <string>

#include "crivo/error.hpp"

namespace crivo::base {
namespace {

[[noreturn]] void fail(std::string_view what, const char* name, const char* problem) {
  throw Error(ErrorKind::io, std::string(what) + " needs " + name + ", which cannot be loaded: " +
                                 (problem != nullptr ? problem : "unknown error"));
}

}  // namespace

void LoadedLibrary::require([[maybe_unused]] std::string_view what) {
#if !defined(CRIVO_LINKED)
  const std::scoped_lock lock(mutex_);
  if (handle_ != nullptr) return;
  handle_ = ::dlopen(file_, RTLD_NOW | RTLD_LOCAL);
  if (handle_ != nullptr) return;
  const char* const problem = ::dlerror();
  const std::string first = problem != nullptr ? problem : "";
  if (otherwise_ != nullptr) handle_ = ::dlopen(otherwise_, RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) fail(what, name_, first.c_str());
#endif
}

void* LoadedLibrary::find(const char* function) {
  require("Crivo");
  void* const found = ::dlsym(handle_, function);
  if (found == nullptr) fail(function, name_, ::dlerror());
  return found;
}

}  // namespace crivo::base
