// SPDX-License-Identifier: Apache-2.0
/// Libraries that are loaded when something needs them, so that a reader asks for none that its
/// files do not. With CRIVO_LINKED they are linked instead: then a program without shared libraries
/// can hold them.
#pragma once

#include <atomic>
#include <mutex>
#include <string_view>

namespace crivo::base {

/// One that stays loaded from its first use on.
class LoadedLibrary {
 public:
  /// `file` is its name for the loader, with the number of its binary interface; `otherwise` is
  /// another name of the same.
  constexpr LoadedLibrary(const char* name, const char* file, const char* otherwise = nullptr)
      : name_(name), file_(file), otherwise_(otherwise) {}

  /// Throws Error(io) that names the library, and `what` needs it, where it cannot be loaded. Does
  /// nothing where it is linked.
  void require(std::string_view what);
  /// The address of a function, for LoadedFunction. Throws as require() does.
  void* find(const char* function);

 private:
  const char* name_;
  const char* file_;
  const char* otherwise_;
  std::mutex mutex_;
  void* handle_ = nullptr;
};

template <typename Function>
class LoadedFunction;

/// Takes the place of a function of the library's header, by its name in a namespace of Crivo. A
/// call throws as LoadedLibrary::require() does, unless the library was loaded before.
template <typename Result, typename... Arguments>
class LoadedFunction<Result(Arguments...)> {
 public:
  constexpr LoadedFunction(LoadedLibrary& library, const char* name)
      : library_(library), name_(name) {}

  Result operator()(Arguments... arguments) {
    void* address = address_.load(std::memory_order_acquire);
    if (address == nullptr) {
      address = library_.find(name_);
      address_.store(address, std::memory_order_release);
    }
    return reinterpret_cast<Result (*)(Arguments...)>(address)(arguments...);
  }

 private:
  LoadedLibrary& library_;
  const char* name_;
  std::atomic<void*> address_ = nullptr;
};

}  // namespace crivo::base

/// Declares what takes the place of a C function, in the namespace where its header's users are.
#if defined(CRIVO_LINKED)
#define CRIVO_LOADED(library, function) using ::function
#else
#define CRIVO_LOADED(library, function) \
  inline constinit base::LoadedFunction<decltype(::function)> function(library, #function)
#endif
