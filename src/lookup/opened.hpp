// SPDX-License-Identifier: Apache-2.0
/// Each kind's OpenIndex, opened as the rows of kinds.cpp do.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "crivo/error.hpp"
#include "crivo/index.hpp"
#include "crivo/inspect.hpp"

namespace crivo::index {

std::unique_ptr<OpenIndex> open_mphf(const std::filesystem::path& path, const OpenOptions& options);
std::unique_ptr<OpenIndex> open_filter(const std::filesystem::path& path,
                                       const OpenOptions& options);
std::unique_ptr<OpenIndex> open_map(const std::filesystem::path& path, const OpenOptions& options);
std::unique_ptr<OpenIndex> open_rows(const std::filesystem::path& path, const OpenOptions& options);
std::unique_ptr<OpenIndex> open_filter_set(const std::filesystem::path& path,
                                           const OpenOptions& options);
std::unique_ptr<OpenIndex> open_store(const std::filesystem::path& path,
                                      const OpenOptions& options);
std::unique_ptr<OpenIndex> open_exact(const std::filesystem::path& path,
                                      const OpenOptions& options);
/// As the base of the chain is opened.
std::unique_ptr<OpenIndex> open_chain(const std::filesystem::path& path,
                                      const OpenOptions& options);

/// An index whose lookups can be measured: it counts as crivo::count_one_by_one() and
/// count_in_batches() do.
class Measured : public OpenIndex {
 public:
  using OpenIndex::OpenIndex;
  virtual std::uint64_t count_one_by_one(std::span<const std::string_view> keys) = 0;
  virtual std::uint64_t count_in_batches(std::span<const std::string_view> keys) = 0;
};

/// The functions that are alike in all kinds with a structure of their own class.
template <typename Structure>
class Opened : public Measured {
 public:
  Opened(std::string_view kind, const std::filesystem::path& path, const OpenOptions& options)
      : Measured(path.string(), kind), structure_(Structure::open(path, options)) {}

  std::uint64_t size() const noexcept final { return structure_.size(); }
  FileInfo info() const final { return structure_.info(); }
  void verify(const Resources& resources) const final { structure_.verify(resources); }

 protected:
  const Structure& structure() const noexcept { return structure_; }
  [[noreturn]] void fail_damaged(std::string_view key, std::string_view what = "id") const {
    throw Error(ErrorKind::corrupt, name() + ": damaged: the bytes that tell the " +
                                        std::string(what) + " of " + quote(key) +
                                        " fail their sums");
  }

 private:
  Structure structure_;
};

/// Answers that a key has a number, and what stands beside that.
inline void answer_number(std::string_view key, std::uint64_t number, const OpenIndex::Visit& visit,
                          std::string_view value = {}) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  visit(key, {.found = true, .is_number = true, .text = {digits.data(), end}, .value = value});
}

/// How many keys are looked up before the first of them is answered.
inline constexpr std::size_t kAnswerBlock = 1024;

/// Calls use(some) for blocks of the keys, in order.
template <typename Use>
void for_each_answer_block(std::span<const std::string_view> keys, Use&& use) {
  while (!keys.empty()) {
    const auto some = keys.first(std::min(kAnswerBlock, keys.size()));
    use(some);
    keys = keys.subspan(some.size());
  }
}

/// The functions that are alike in kinds whose lookups give a rank, or kAbsent.
template <typename Structure>
class OpenedRanks : public Opened<Structure> {
 public:
  using Opened<Structure>::Opened;
  using typename OpenIndex::Visit;

  void answer(const Key& key, const Visit& visit) final {
    answer_rank(key.text(), this->structure().lookup(key), visit);
  }
  void answer(std::span<const std::string_view> keys, const Visit& visit) final {
    for_each_rank_block(
        keys, [&](std::span<const std::string_view> some, std::span<const std::uint64_t> ranks) {
          for (std::size_t i = 0; i < some.size(); ++i) answer_rank(some[i], ranks[i], visit);
        });
  }

  std::uint64_t count_one_by_one(std::span<const std::string_view> keys) final {
    std::uint64_t found = 0;
    for (const std::string_view key : keys) count(found, key, this->structure().lookup(key));
    return found;
  }
  std::uint64_t count_in_batches(std::span<const std::string_view> keys) final {
    std::uint64_t found = 0;
    for_each_rank_block(
        keys, [&](std::span<const std::string_view> some, std::span<const std::uint64_t> ranks) {
          for (std::size_t i = 0; i < some.size(); ++i) count(found, some[i], ranks[i]);
        });
    return found;
  }

 protected:
  virtual void answer_found(std::string_view key, std::uint64_t rank, const Visit& visit) const {
    answer_number(key, rank, visit);
  }

  static constexpr bool is_damaged(std::uint64_t rank) noexcept {
    if constexpr (requires { Structure::kDamaged; }) {
      return rank == Structure::kDamaged;
    } else {
      return false;
    }
  }

 private:
  void count(std::uint64_t& found, std::string_view key, std::uint64_t rank) const {
    if (is_damaged(rank)) [[unlikely]]
      this->fail_damaged(key);
    found += rank != Structure::kAbsent ? 1 : 0;
  }
  template <typename Use>
  void for_each_rank_block(std::span<const std::string_view> keys, Use&& use) const {
    for_each_answer_block(keys, [&](std::span<const std::string_view> some) {
      std::array<std::uint64_t, kAnswerBlock> ranks;
      const std::span answers = std::span(ranks).first(some.size());
      this->structure().lookup(some, answers);
      use(some, answers);
    });
  }
  void answer_rank(std::string_view key, std::uint64_t rank, const Visit& visit) const {
    if (rank == Structure::kAbsent) {
      visit(key, {});
    } else if (is_damaged(rank)) {
      this->fail_damaged(key);
    } else {
      answer_found(key, rank, visit);
    }
  }
};

}  // namespace crivo::index
