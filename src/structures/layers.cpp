// SPDX-License-Identifier: Apache-2.0
#include "structures/layers.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

namespace crivo::filter {
namespace {

class Layers final : public Membership {
 public:
  explicit Layers(std::vector<std::unique_ptr<const Membership>> layers)
      : layers_(std::move(layers)) {
    for (const auto& layer : layers_) lookups_.push_back(layer->lookup());
  }

  std::uint64_t size() const noexcept override {
    std::uint64_t keys = 0;
    for (const auto& layer : layers_) keys += layer->size();
    return keys;
  }
  double fpr() const noexcept override {
    double passes = 1;
    for (const auto& layer : layers_) passes *= 1 - layer->fpr();
    return 1 - passes;
  }

  bool contains(Hash128 hash) const noexcept override {
    return std::ranges::any_of(lookups_, [&](const auto& one) { return one.contains(hash); });
  }
  detail::FilterLookup lookup() const noexcept override {
    using Form = detail::FilterLookup::Form;
    const bool by_half = std::ranges::all_of(
        lookups_, [](const auto& one) { return detail::FilterLookup::takes_first_half(one.form); });
    return {.form = by_half ? Form::first_half : Form::whole_hash,
            .call =
                [](const void* filter, std::uint64_t hi, std::uint64_t lo) noexcept {
                  return static_cast<const Layers*>(filter)->contains(Hash128{hi, lo});
                },
            .filter = this};
  }

  void contains(std::span<const Hash128> hashes, bool* answers) const noexcept override {
    std::array<bool, 256> some{};
    for (std::size_t begin = 0; begin < hashes.size(); begin += some.size()) {
      const auto block = hashes.subspan(begin, std::min(some.size(), hashes.size() - begin));
      layers_.front()->contains(block, answers + begin);
      for (std::size_t layer = 1; layer != layers_.size(); ++layer) {
        layers_[layer]->contains(block, some.data());
        for (std::size_t i = 0; i != block.size(); ++i)
          answers[begin + i] = answers[begin + i] || some[i];
      }
    }
  }

  /// The sum of each number that all layers have, and how many layers there are.
  std::vector<Parameter> parameters() const override {
    std::vector<Parameter> all{{"layers", std::uint64_t{layers_.size()}}};
    for (const char* const name : {"buckets", "capacity", "stashed"}) {
      std::uint64_t sum = 0;
      for (const auto& layer : layers_) {
        for (const Parameter& one : layer->parameters()) {
          if (one.name == name) sum += std::get<std::uint64_t>(one.value);
        }
      }
      all.push_back({name, sum});
    }
    return all;
  }

 private:
  std::vector<std::unique_ptr<const Membership>> layers_;
  std::vector<detail::FilterLookup> lookups_;  ///< of each
};

}  // namespace

std::unique_ptr<const Membership> join_layers(
    std::vector<std::unique_ptr<const Membership>> layers) {
  if (layers.size() == 1) return std::move(layers.front());
  return std::make_unique<Layers>(std::move(layers));
}

}  // namespace crivo::filter
