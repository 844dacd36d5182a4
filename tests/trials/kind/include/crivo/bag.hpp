// SPDX-License-Identifier: Apache-2.0
/// Bags, a trial.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "crivo/bag_options.hpp"
#include "crivo/build/build.hpp"
#include "crivo/inspect.hpp"
#include "crivo/open.hpp"

namespace crivo {

class CRIVO_API Bag {
 public:
  static Bag open(const std::filesystem::path& path, const OpenOptions& options = {});
  ~Bag();
  Bag(Bag&&) noexcept;
  std::uint64_t size() const noexcept;
  FileInfo info() const;
  void verify(const Resources& resources = {}) const;
  bool contains(std::string_view key) const;

 private:
  struct CRIVO_LOCAL Impl;
  explicit Bag(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

CRIVO_API BuildSummary build_bag(const KeyInput& input, const Output& output,
                                 const BagOptions& bag = {}, const BuildOptions& options = {});
CRIVO_API BuildEstimate estimate_bag(const KeyInput& input, const BagOptions& bag = {},
                                     const BuildOptions& options = {});

}  // namespace crivo
