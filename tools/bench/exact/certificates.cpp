// SPDX-License-Identifier: Apache-2.0
#include "bench/exact/certificates.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <thread>

#include "crivo/build/keys.hpp"

namespace crivo::bench {
namespace {

constexpr double kRevokedShare = 11.7 / 816;
constexpr double kTail = 1.5;     ///< the exponent of the groups' sizes
constexpr double kSpread = 1.4;   ///< of the logarithms of their shares of revoked keys
constexpr double kExtremes = 50;  ///< one of so many groups has none or all revoked

/// SplitMix64's output function: a permutation.
constexpr std::uint64_t mix(std::uint64_t z) noexcept {
  z += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}
double unit(std::uint64_t number) noexcept {
  return std::ldexp(static_cast<double>(mix(number) >> 11), -53);
}
/// Normal, nearly: a sum of twelve.
double normal(std::uint64_t number) noexcept {
  double sum = -6;
  for (std::uint64_t i = 0; i < 12; ++i) sum += unit(1000 * number + i);
  return sum;
}

/// The share of a group's keys that are revoked.
double share(std::uint64_t group, double mean) noexcept {
  const double extreme = unit(7777 * group + 3) * kExtremes;
  if (extreme < 1) return extreme < 0.5 ? 1 : 0;
  return std::min(1.0, std::exp(mean + kSpread * normal(group)));
}

std::vector<std::uint64_t> sizes_of(const CertificateOptions& options) {
  std::vector<double> weights;
  weights.reserve(options.groups);
  for (std::uint64_t g = 0; g < options.groups; ++g)
    weights.push_back(std::pow(static_cast<double>(g + 1), -kTail));
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<std::uint64_t> sizes;
  sizes.reserve(weights.size());
  for (const double weight : weights)
    sizes.push_back(1 +
                    static_cast<std::uint64_t>(weight / all * static_cast<double>(options.keys)));
  return sizes;
}

/// The mean of the logarithms with which kRevokedShare of all keys are revoked.
double mean_of(const std::vector<std::uint64_t>& sizes) {
  const auto all = static_cast<double>(std::accumulate(sizes.begin(), sizes.end(), 0ULL));
  double low = -20;
  double high = 0;
  for (int step = 0; step < 50; ++step) {
    const double mean = (low + high) / 2;
    double revoked = 0;
    for (std::uint64_t g = 0; g < sizes.size(); ++g)
      revoked += static_cast<double>(sizes[g]) * share(g, mean);
    (revoked < kRevokedShare * all ? low : high) = mean;
  }
  return low;
}

std::uint64_t threshold(double part) noexcept {
  return part >= 1 ? UINT64_MAX : static_cast<std::uint64_t>(std::ldexp(part, 64));
}

/// log2 of n over m.
double log2_choose(double n, double m) noexcept {
  const auto log2_factorial = [](double k) { return std::lgamma(k + 1) / std::log(2.0); };
  return log2_factorial(n) - log2_factorial(m) - log2_factorial(n - m);
}

/// Keys by their numbers.
class CertificateSource final : public KeySource {
 public:
  /// With `numbers` keys numbers[i], else all.
  CertificateSource(const Certificates& certificates, const std::vector<std::uint32_t>* numbers,
                    bool grouped)
      : certificates_(certificates), numbers_(numbers), grouped_(grouped) {}

  std::optional<std::uint64_t> size() const override {
    return numbers_ != nullptr ? numbers_->size() : certificates_.size();
  }
  std::uint64_t bytes(std::uint64_t begin, std::uint64_t end) const override {
    return (end - begin) * (grouped_ ? 32 : 20);
  }
  void write(std::uint64_t begin, std::uint64_t end, KeyWriter& writer) const override {
    if (begin == end) return;
    Certificates::Key key = certificates_.key(number(begin));
    for (std::uint64_t i = begin;;) {
      const Serial serial = Certificates::serial(key.group, key.index);
      const std::string_view text(serial.data(), serial.size());
      if (grouped_) {
        writer.record(text, certificates_.issuers()[key.group].name);
      } else {
        writer.key(text);
      }
      if (++i == end) return;
      key = after(key, number(i));
    }
  }

 private:
  std::uint64_t number(std::uint64_t i) const noexcept {
    return numbers_ != nullptr ? (*numbers_)[i] : i;
  }
  Certificates::Key after(Certificates::Key key, std::uint64_t number) const noexcept {
    while (number >= certificates_.begin_of(key.group + 1)) ++key.group;
    key.index = number - certificates_.begin_of(key.group);
    return key;
  }

  const Certificates& certificates_;
  const std::vector<std::uint32_t>* numbers_;
  bool grouped_;
};

}  // namespace

Certificates::Certificates(const CertificateOptions& options, std::uint64_t day) {
  const std::vector<std::uint64_t> sizes = sizes_of(options);
  const double mean = mean_of(sizes);
  // Of the changes of a day eight in ten are revocations, one is taken back, and one is a new key
  // that the set takes for a member: of them there are some 0.7 for each member, were the universe
  // to double.
  const double changed = static_cast<double>(options.changes) /
                         (kRevokedShare * static_cast<double>(options.keys)) *
                         static_cast<double>(day);
  std::uint64_t end = 0;
  for (std::uint64_t g = 0; g < sizes.size(); ++g) {
    const double revoked = share(g, mean);
    Issuer& issuer = issuers_.emplace_back();
    issuer.name = "issuer-" + std::to_string(g);
    if (options.clubcard)
      issuer.name = std::string(64 - std::to_string(g).size(), '0') + std::to_string(g);
    issuer.keys =
        sizes[g] + static_cast<std::uint64_t>(static_cast<double>(sizes[g]) * changed / 7);
    issuer.low = revoked >= 1 ? 0 : threshold(revoked * 0.1 * changed);
    issuer.high = threshold(revoked * (1 + 0.8 * changed));
    begins_.push_back(end);
    end += issuer.keys;
  }
  begins_.push_back(end);
}

Serial Certificates::serial(std::uint64_t group, std::uint64_t index) noexcept {
  const std::uint64_t halves[] = {mix(group << 40 | index), mix(~(group << 40 | index))};
  return std::bit_cast<Serial>(halves);
}

std::uint64_t Certificates::draw(std::uint64_t group, std::uint64_t index) noexcept {
  return mix(mix(group << 40 | index) ^ 0x5851f42d4c957f2d);
}

Certificates::Key Certificates::key(std::uint64_t number) const noexcept {
  const auto after = std::ranges::upper_bound(begins_, number);
  const auto group = static_cast<std::uint64_t>(after - begins_.begin() - 1);
  return {group, number - begins_[group]};
}

std::vector<std::uint32_t> Certificates::revoked(unsigned threads) const {
  std::vector<std::vector<std::uint32_t>> parts(threads);
  std::vector<std::jthread> running;
  running.reserve(threads);
  for (unsigned t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      const std::uint64_t begin = size() / threads * t;
      const std::uint64_t end = t + 1 == threads ? size() : size() / threads * (t + 1);
      for (std::uint64_t g = key(begin).group; g < issuers_.size() && begins_[g] < end; ++g) {
        const std::uint64_t last = std::min(end, begins_[g + 1]);
        for (std::uint64_t number = std::max(begin, begins_[g]); number < last; ++number) {
          if (is_revoked(g, number - begins_[g]))
            parts[t].push_back(static_cast<std::uint32_t>(number));
        }
      }
    });
  }
  running.clear();
  std::vector<std::uint32_t> all = std::move(parts.front());
  for (unsigned t = 1; t < threads; ++t) all.insert(all.end(), parts[t].begin(), parts[t].end());
  return all;
}

std::vector<std::uint64_t> Certificates::revoked_by_group(
    const std::vector<std::uint32_t>& revoked) const {
  std::vector<std::uint64_t> counts;
  auto begin = revoked.begin();
  for (std::uint64_t g = 0; g < issuers_.size(); ++g) {
    const auto end = std::lower_bound(begin, revoked.end(), begins_[g + 1]);
    counts.push_back(static_cast<std::uint64_t>(end - begin));
    begin = end;
  }
  return counts;
}

Certificates::Bounds Certificates::bounds(const std::vector<std::uint32_t>& revoked) const {
  Bounds bounds;
  bounds.whole = log2_choose(static_cast<double>(size()), static_cast<double>(revoked.size()));
  const std::vector<std::uint64_t> counts = revoked_by_group(revoked);
  for (std::uint64_t g = 0; g < issuers_.size(); ++g) {
    bounds.by_group +=
        log2_choose(static_cast<double>(issuers_[g].keys), static_cast<double>(counts[g]));
  }
  return bounds;
}

double Certificates::bound_of_changes(const std::vector<std::uint32_t>& revoked,
                                      std::uint64_t changes) const {
  const std::vector<std::uint64_t> counts = revoked_by_group(revoked);
  const double share = static_cast<double>(changes) / static_cast<double>(revoked.size());
  double bits = 0;
  for (std::uint64_t g = 0; g < issuers_.size(); ++g) {
    bits +=
        log2_choose(static_cast<double>(issuers_[g].keys), share * static_cast<double>(counts[g]));
  }
  return bits;
}

KeyInput universe_input(const Certificates& certificates, bool grouped) {
  return input_of(std::make_shared<CertificateSource>(certificates, nullptr, grouped));
}

KeyInput revoked_input(const Certificates& certificates, const std::vector<std::uint32_t>& revoked,
                       bool grouped) {
  return input_of(std::make_shared<CertificateSource>(certificates, &revoked, grouped));
}

}  // namespace crivo::bench
