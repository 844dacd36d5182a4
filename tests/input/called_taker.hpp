// SPDX-License-Identifier: Apache-2.0
/// A taker of records for tests, which are functions.
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "input/record_taker.hpp"

namespace crivo::input {

struct CalledTaker final : RecordTaker {
  using Take =
      std::function<void(Hash128 hash, std::uint64_t order, std::string_view, std::string_view)>;

  explicit CalledTaker(
      Take on_take, std::function<void()> on_begin = [] {})
      : taken(std::move(on_take)), begun(std::move(on_begin)) {}

  void begin() override { begun(); }
  void take(unsigned /*thread*/, Hash128 hash, std::uint64_t order, std::string_view key,
            std::string_view record, const InputPlace& /*in_input*/) override {
    taken(hash, order, key, record);
  }
  stream::LoggedRuns log_all() override { return {}; }
  void go_on_from(const stream::LoggedRuns&) override {}

  Take taken;
  std::function<void()> begun;
};

}  // namespace crivo::input
