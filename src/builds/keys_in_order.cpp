// SPDX-License-Identifier: Apache-2.0
#include "builds/keys_in_order.hpp"

#include <atomic>
#include <optional>
#include <vector>

#include "base/parallel.hpp"
#include "stream/text_splitters.hpp"

namespace crivo::index {
namespace {

using records::RecordBatch;
using records::RecordEntry;

/// What a text has of a record.
enum class Taken { key, key_and_value, all };

/// Texts of records, one at a time.
class TextOfRecord {
 public:
  explicit TextOfRecord(Taken taken) noexcept : taken_(taken) {}

  std::string_view operator()(const RecordEntry& entry) {
    if (taken_ == Taken::key) return entry.key();
    if (taken_ == Taken::all) {
      input::write_record_text(entry.key(), entry.record(), text_);
      return text_;
    }
    const std::uint64_t value = input::TextRecord::value_of(entry.record());
    input::write_valued_text(entry.key(), {.value = value, .place = entry.order()}, text_);
    return text_;
  }

 private:
  Taken taken_;
  std::string text_;
};

/// Of the first pieces of a run.
stream::TextSplitters splitters_of(const records::RecordSource& source, unsigned bits,
                                   const stream::PartitionRun& run, Taken taken) {
  constexpr std::size_t kSampledTexts = 32;  // for each piece of texts
  constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 20;
  RecordBatch batch;
  TextOfRecord text_of(taken);
  std::vector<std::string> sample;
  std::uint64_t sampled = 0;
  std::size_t pieces = 1;
  for (std::uint64_t piece = run.begin; piece != run.end && sampled < kMostBytes; ++piece) {
    batch.clear();
    source.read(bits, piece, batch);
    for (std::size_t i = 0; i != batch.size() && sampled < kMostBytes; ++i) {
      const std::string_view text = text_of(batch[i]);
      sample.emplace_back(text);
      sampled += text.size();
    }
    pieces = input::text_pieces(sampled / (piece + 1 - run.begin) * run.size());
    if (sample.size() >= kSampledTexts * pieces) break;
  }
  return stream::TextSplitters::of_sample({sample.begin(), sample.end()}, pieces);
}

/// `merged`: what becomes of equal keys' records, which otherwise stay as they are.
std::unique_ptr<stream::TextStream> stream_of(const records::RecordSource& source, unsigned bits,
                                              const stream::PartitionRun& run, Taken taken,
                                              std::optional<records::Duplicates> merged,
                                              const input::TextOptions& options,
                                              const base::BuildContext& context) {
  auto texts = std::make_unique<stream::TextStream>(
      stream::TextStreamOptions{context.threads, options.memory_bytes, options.temp_dir},
      splitters_of(source, bits, run, taken));
  context.progress.begin("read", run.size());
  std::atomic<std::uint64_t> next{run.begin};
  std::atomic<bool> stop{false};
  base::run_threads(
      context.threads,
      [&](unsigned thread) {
        RecordBatch batch;
        TextOfRecord text_of(taken);
        while (!stop.load(std::memory_order_relaxed)) {
          const std::uint64_t piece = next.fetch_add(1, std::memory_order_relaxed);
          if (piece >= run.end) return;
          batch.clear();
          source.read(bits, piece, batch);
          if (merged) batch.sort(*merged);
          for (std::size_t i = 0; i != batch.size(); ++i) texts->add(thread, text_of(batch[i]));
          context.progress.add(1);
        }
      },
      &stop);
  texts->finish();
  return texts;
}

}  // namespace

std::unique_ptr<stream::TextStream> texts_of(const records::RecordSource& source, unsigned bits,
                                             const stream::PartitionRun& run, bool values,
                                             const input::TextOptions& options,
                                             const base::BuildContext& context) {
  return stream_of(source, bits, run, values ? Taken::key_and_value : Taken::key, {}, options,
                   context);
}

std::unique_ptr<stream::TextStream> record_texts_of(const records::RecordSource& source,
                                                    records::Duplicates duplicates,
                                                    const input::TextOptions& options,
                                                    const base::BuildContext& context) {
  const unsigned bits = source.piece_bits();
  return stream_of(source, bits, {0, std::uint64_t{1} << bits}, Taken::all, duplicates, options,
                   context);
}

}  // namespace crivo::index
