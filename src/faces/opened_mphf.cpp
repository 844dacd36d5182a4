// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>

#include "crivo/mphf.hpp"
#include "faces/opened.hpp"

namespace crivo::index {
namespace {

class OpenedMphf final : public Opened<Mphf> {
 public:
  using Opened::Opened;

  bool tells_absent() const noexcept override { return structure().signature_bits() != 0; }

  void answer(const Key& key, const Visit& visit) override {
    answer_rank(key.text(), structure().lookup(key), visit);
  }
  void answer(std::span<const std::string_view> keys, const Visit& visit) override {
    for_each_answer_block(keys, [&](std::span<const std::string_view> some) {
      std::array<std::uint64_t, kAnswerBlock> ranks;
      structure().lookup(some, std::span(ranks).first(some.size()));
      for (std::size_t i = 0; i < some.size(); ++i) answer_rank(some[i], ranks[i], visit);
    });
  }

  std::uint64_t count_one_by_one(std::span<const std::string_view> keys) override {
    std::uint64_t found = 0;
    for (const std::string_view key : keys) {
      found += structure().lookup(key) != Mphf::kAbsent ? 1 : 0;
    }
    return found;
  }
  std::uint64_t count_in_batches(std::span<const std::string_view> keys) override {
    std::uint64_t found = 0;
    for_each_answer_block(keys, [&](std::span<const std::string_view> some) {
      std::array<std::uint64_t, kAnswerBlock> ranks;
      structure().lookup(some, std::span(ranks).first(some.size()));
      for (std::size_t i = 0; i < some.size(); ++i) found += ranks[i] != Mphf::kAbsent ? 1 : 0;
    });
    return found;
  }

 private:
  static void answer_rank(std::string_view key, std::uint64_t rank, const Visit& visit) {
    if (rank == Mphf::kAbsent) {
      visit(key, {});
      return;
    }
    std::array<char, 20> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), rank).ptr;
    visit(key, {true, true, {digits.data(), end}});
  }
};

}  // namespace

std::unique_ptr<OpenIndex> open_mphf(const std::filesystem::path& path,
                                     const OpenOptions& options) {
  return std::make_unique<OpenedMphf>("mphf", path, options);
}

}  // namespace crivo::index
