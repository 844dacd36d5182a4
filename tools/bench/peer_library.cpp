// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string_view>

#include "bench/methods.hpp"
#include "crivo/error.hpp"

namespace crivo::bench {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::bad_input, path + ": not a peer: " + why);
}

/// Names stand in tables, JSON and SVG.
bool printable(std::string_view name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

/// The function of peer.h that lists the methods of a kind.
const char* list_of(Kind kind) {
  switch (kind) {
    case Kind::filter:
      return "crivo_bench_filters";
    case Kind::map:
      return "crivo_bench_maps";
    case Kind::mphf:
      break;
  }
  return "crivo_bench_methods";
}

}  // namespace

std::vector<Method> load_peer(const std::string& path, Kind kind) {
  // An absolute path, so that the loader does not look for a bare name in the system's folders. The
  // library is never unloaded: its code runs until the program ends.
  void* library = ::dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) refuse(path, ::dlerror());
  using List = const crivo_bench_method*(std::size_t*);
  auto* const list = reinterpret_cast<List*>(::dlsym(library, list_of(kind)));
  if (list == nullptr) {
    for (const Kind other : {Kind::mphf, Kind::filter, Kind::map}) {
      if (::dlsym(library, list_of(other)) != nullptr) return {};
    }
    refuse(path, std::string("it exports neither ") + list_of(Kind::mphf) + ", " +
                     list_of(Kind::filter) + " nor " + list_of(Kind::map));
  }

  std::size_t count = 0;
  const crivo_bench_method* const first = list(&count);
  if (first == nullptr || count == 0) refuse(path, "it has no methods");
  const std::string name = std::filesystem::path(path).stem().string();
  std::vector<Method> methods;
  for (const crivo_bench_method& calls : std::span(first, count)) {
    if (calls.name == nullptr || !printable(calls.name)) {
      refuse(path, "the name of a method is not printable ASCII");
    }
    if (calls.build == nullptr || calls.destroy == nullptr || calls.bits == nullptr ||
        calls.lookup == nullptr || calls.lookup_dependent == nullptr) {
      refuse(path, std::string("'") + calls.name + "' lacks a call other than lookup_batch");
    }
    methods.push_back({calls, printable(name) ? name : "peer"});
  }
  return methods;
}

}  // namespace crivo::bench
