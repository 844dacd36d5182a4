/* SPDX-License-Identifier: Apache-2.0 */
// Crivo's minimal perfect hash functions as a contender of MPHF-Experiments.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "Contender.h"
#include "crivo/build/build.hpp"
#include "crivo/mphf.hpp"

class CrivoContender : public Contender {
 public:
  CrivoContender(size_t N, std::string algorithm, unsigned effort)
      : Contender(N, 1.0), algorithm(std::move(algorithm)), effort(effort) {}

  std::string name() override {
    return "Crivo algorithm=" + algorithm + " effort=" + std::to_string(effort);
  }

  // From keys in memory to a whole file in memory, with its header and checksums, and opened.
  void construct(const std::vector<std::string>& keys) override {
    crivo::BuildOptions options;
    options.resources.threads = static_cast<unsigned>(numThreads);
    crivo::build_mphf(crivo::keys_in(keys), crivo::Output::to(bytes),
                      {.algorithm = algorithm, .effort = effort, .no_tree = true}, options);
    function = crivo::Mphf::open(bytes);
  }

  size_t sizeBits() override { return 8 * bytes.size(); }

  void performQueries(const std::span<std::string> keys) override {
    const auto rank = [this](const std::string& key) { return function->lookup(key); };
    doPerformQueries(keys, rank);
  }

  void performTest(const std::span<std::string> keys) override {
    const auto rank = [this](const std::string& key) { return function->lookup(key); };
    doPerformTest(keys, rank);
  }

 private:
  std::string algorithm;
  unsigned effort;
  std::vector<std::byte> bytes;
  std::optional<crivo::Mphf> function;
};

void crivoContenderRunner(size_t N);
