// SPDX-License-Identifier: Apache-2.0
#include "records/codec_choice.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace crivo::records {

double encoded_part(const UnitSample& units, const Codec& codec) {
  const std::unique_ptr<Encoder> encoder = codec.encoder();
  if (encoder == nullptr || units.bytes.empty()) return 1;
  base::Bytes stored;
  std::uint64_t total = 0;
  base::ByteView rest = units.bytes;
  for (const std::size_t size : units.sizes) {
    stored.clear();
    total += encoder->encode(rest.first(size), stored) ? stored.size() : size;
    rest = rest.subspan(size);
  }
  return static_cast<double>(total) / static_cast<double>(units.bytes.size());
}

std::uint64_t choice_sample_bytes() noexcept {
  std::uint64_t most = 0;
  for (const CodecType& type : codec_types()) most = std::max(most, type.sample_bytes);
  return most;
}

TrainedCodec choose_codec(const UnitSample& sample, double share) {
  // What the next codec of the registry must save to be taken in place of the one before.
  constexpr double kWorthTokens = 1.0 / 8;
  constexpr double kWorthLarger = 1.0 / 32;
  // Where tokens12 saves less, nothing repeats: tokens16, whose training takes twice as long, is
  // not tried.
  constexpr double kHopeless = 1.0 / 64;
  const UnitSample training = sample.first(sample.bytes.size() / 8 * 7);
  const UnitSample judges = sample.after(training);
  const double all_bytes = share * static_cast<double>(sample.bytes.size());
  TrainedCodec best;
  double best_bytes = all_bytes;
  for (const auto& [id, worth] :
       {std::pair(CodecId::tokens12, kWorthTokens), std::pair(CodecId::tokens16, kWorthLarger)}) {
    const CodecType& type = codec_type(id);
    TrainedCodec trained{id, type.train(training.first(type.sample_bytes), share)};
    const double bytes = encoded_part(judges, *type.open(trained.dictionary)) * all_bytes +
                         static_cast<double>(trained.dictionary.size());
    if (bytes > all_bytes * (1 - kHopeless)) break;
    const double least = best.codec == CodecId::none ? kWorthTokens : worth;
    if (bytes >= best_bytes * (1 - least)) continue;
    best = std::move(trained);
    best_bytes = bytes;
  }
  return best;
}

}  // namespace crivo::records
