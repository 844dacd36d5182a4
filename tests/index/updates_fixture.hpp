// SPDX-License-Identifier: Apache-2.0
/// A store of a few hundred records, and its log of updates.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "crivo/build/build.hpp"
#include "crivo/build/edit.hpp"
#include "crivo/inspect.hpp"
#include "crivo/store.hpp"
#include "index/key_sets.hpp"

namespace crivo::test {

namespace fs = std::filesystem;

inline bool is_long() {
  return std::getenv("CRIVO_LONG") != nullptr;
}

class Updates : public testing::Test {
 protected:
  static constexpr std::size_t kKeys = 500;

  void build(const std::string& version = "0") const {
    build_store(shop_.pairs(keys_, Keys(kKeys, version)), path_, options_, Workshop::options());
  }
  static std::string record(Store::Reader& reader, const std::string& key) {
    const Store::Answer answer = reader.find(key);
    if (answer.status == Store::Status::damaged) return "damaged";
    return answer.status == Store::Status::found ? std::string(answer.record) : "-";
  }
  std::string now(std::size_t key) const {
    const Store store = Store::open(path_);
    Store::Reader reader(store);
    return record(reader, keys_[key]);
  }
  fs::path updates() const {
    for (const auto& file : fs::directory_iterator(path_)) {
      if (file.path().filename().string().starts_with("updates-") &&
          file.path().extension() == ".log") {
        return file.path();
      }
    }
    return {};
  }
  /// Runs `work` in a process of its own.
  static pid_t start(const std::function<void()>& work) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    try {
      work();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "child: %s\n", error.what());
      ::_exit(1);
    }
    ::_exit(0);
  }
  static int result_of(pid_t child) {
    int status = 0;
    return ::waitpid(child, &status, 0) == child ? status : -1;
  }

  const Workshop shop_;
  const Keys keys_ = numbered_keys(kKeys);
  const fs::path path_ = shop_.at("store");
  StoreOptions options_;
};

/// The same for a store of each backend, and for an ordered one.
class EveryStore : public Updates, public testing::WithParamInterface<const char*> {
 protected:
  EveryStore() {
    options_.ordered = GetParam() == std::string_view("ordered");
    options_.backend = options_.ordered ? "flat" : GetParam();
  }
};

inline auto every_store() {
  return testing::Values("lmdb", "flat", "ordered");
}

}  // namespace crivo::test
