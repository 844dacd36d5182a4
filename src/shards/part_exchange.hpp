// SPDX-License-Identifier: Apache-2.0
/// The files of a build in shards where its tasks share no directory (formats/parts.md, "Elsewhere
/// than in a directory"): commands of the caller's put them somewhere, and get them from there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "crivo/build/build.hpp"

namespace crivo::index {

class PartExchange {
 public:
  /// Takes BuildOptions::exchange. Throws Error(usage) where there is one to put and none to get,
  /// by which what was put is checked.
  explicit PartExchange(const BuildOptions& options);

  bool puts() const noexcept { return !commands_.put.empty(); }
  bool gets() const noexcept { return !commands_.get.empty(); }

  /// Puts the bytes of all views, one behind the other, and gets them again. `forget` is called
  /// every few MiB. Throws Error(io) if a command fails, or what comes back is not what was put.
  void put(const std::string& name, std::span<const base::ByteView> views,
           const std::function<void()>& forget) const;
  /// Calls use(bytes) for what the command gives, as it comes. Throws Error(io) if it fails.
  void get(const std::string& name, const std::function<void(base::ByteView)>& use) const;

  /// Puts a file under its own name, if there is a command for it.
  void put_file(const std::filesystem::path& path) const;
  /// Gets the file that is called as the last part of `path` is, and checks all of it: `path` has
  /// it whole or not at all. Throws Error(corrupt) for one that was cut or changed on its way.
  void get_file(const std::filesystem::path& path) const;
  /// Throws Error(io) unless the file of this name is there, and the very bytes of `path`.
  void compare_file(const std::filesystem::path& path) const;

 private:
  void check_same(const std::string& name, std::span<const base::ByteView> views,
                  const std::function<void()>& forget) const;

  const ExchangeCommands& commands_;
  Progress* progress_;
};

/// Gets the parts that do not stand at their paths. Returns those that stood there, of which it is
/// not known that they can be got, or nothing without a command that gets them.
std::vector<std::filesystem::path> get_missing_parts(
    const PartExchange& exchange, const std::vector<std::filesystem::path>& paths);

}  // namespace crivo::index
