// SPDX-License-Identifier: Apache-2.0
#include "bench/methods.hpp"

#include <fnmatch.h>

#include <set>

#include "crivo/error.hpp"

namespace crivo::bench {
namespace {

std::vector<Method> joined(const std::vector<std::vector<Method>>& parts) {
  std::vector<Method> all;
  for (const std::vector<Method>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace

std::vector<Method> all_methods(Kind kind, const std::vector<std::string>& peers) {
  std::vector<Method> outside;
  for (const std::string& peer : peers) outside = joined({outside, load_peer(peer, kind)});
  std::vector<Method> all;
  switch (kind) {
    case Kind::mphf:
      all = joined({crivo_mphfs(), outside, cmph_mphfs(), marisa_mphfs()});
      break;
    case Kind::filter:
      all = joined({crivo_filters(), outside});
#ifdef CRIVO_BENCH_ROCKSDB
      all = joined({all, rocksdb_filters()});
#endif
      break;
    case Kind::map:
      all = joined({crivo_maps(), crivo_array_maps(), outside, cmph_maps(), marisa_maps()});
      break;
  }
  std::set<std::string> names;
  for (const Method& method : all) {
    if (!names.insert(method.calls.name).second) {
      throw Error(ErrorKind::bad_input,
                  method.library + ": there is another method named '" + method.calls.name + "'");
    }
  }
  return all;
}

std::vector<Method> chosen(const std::vector<Method>& all,
                           const std::vector<std::string>& patterns) {
  if (patterns.empty()) return all;
  std::set<std::size_t> taken;
  for (const std::string& pattern : patterns) {
    bool any = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (::fnmatch(pattern.c_str(), all[i].calls.name, FNM_CASEFOLD) != 0 &&
          ::fnmatch(pattern.c_str(), all[i].library.c_str(), FNM_CASEFOLD) != 0) {
        continue;
      }
      taken.insert(i);
      any = true;
    }
    if (!any) throw Error(ErrorKind::usage, "no method '" + pattern + "' (see --list)");
  }
  std::vector<Method> methods;
  methods.reserve(taken.size());
  for (const std::size_t i : taken) methods.push_back(all[i]);
  return methods;
}

}  // namespace crivo::bench
