// SPDX-License-Identifier: Apache-2.0
#include "build/keys_in_order.hpp"

#include <atomic>
#include <functional>
#include <optional>
#include <vector>

#include "base/parallel.hpp"
#include "records/build/record_text.hpp"
#include "stream/text_splitters.hpp"

namespace crivo::index {
namespace {

using records::RecordBatch;
using records::RecordEntry;

/// Puts the text of a record in place of what was in `to`; from several threads.
using WriteText = std::function<void(const RecordEntry& entry, std::string& to)>;

WriteText key_writer(bool values) {
  return [values](const RecordEntry& entry, std::string& to) {
    if (!values) {
      to.assign(entry.key());
      return;
    }
    const std::uint64_t value = input::TextRecord::value_of(entry.record());
    input::write_valued_text(entry.key(), {.value = value, .place = entry.order()}, to);
  };
}

/// The splitters that the first pieces of a run give.
stream::TextSplitters splitters_of(const records::RecordSource& source, unsigned bits,
                                   const stream::PartitionRun& run, const WriteText& write) {
  constexpr std::size_t kSampledTexts = 32;  // for each piece of texts
  constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 20;
  RecordBatch batch;
  std::vector<std::string> sample;
  std::uint64_t sampled = 0;
  std::size_t pieces = 1;
  const auto is_enough = [&] {
    return sampled + sample.size() * sizeof(std::string) >= kMostBytes;
  };
  const auto take = [&] {
    for (std::size_t i = 0; i != batch.size() && !is_enough(); ++i) {
      write(batch[i], sample.emplace_back());
      sampled += sample.back().size();
    }
  };
  batch.hand_on(take);
  for (std::uint64_t piece = run.begin; piece != run.end && !is_enough(); ++piece) {
    batch.clear();
    source.read(bits, piece, batch);
    take();
    pieces = input::text_pieces(sampled / (piece + 1 - run.begin) * run.size());
    if (sample.size() >= kSampledTexts * pieces) break;
  }
  return stream::TextSplitters::of_sample({sample.begin(), sample.end()}, pieces);
}

/// `merged`: what becomes of equal keys' records, which otherwise stay as they are.
std::unique_ptr<stream::TextStream> stream_of(const records::RecordSource& source, unsigned bits,
                                              const stream::PartitionRun& run,
                                              const WriteText& write,
                                              std::optional<records::Duplicates> merged,
                                              const input::TextOptions& options,
                                              const base::BuildContext& context) {
  auto texts = std::make_unique<stream::TextStream>(
      stream::TextStreamOptions{context.threads, options.memory_bytes, options.temp_dir},
      splitters_of(source, bits, run, write));
  context.progress.begin("read", run.size());
  std::atomic<std::uint64_t> next{run.begin};
  std::atomic<bool> stop{false};
  base::run_threads(
      context.threads,
      [&](unsigned thread) {
        RecordBatch batch;
        std::string text;
        const auto add_all = [&] {
          for (std::size_t i = 0; i != batch.size(); ++i) {
            write(batch[i], text);
            texts->add(thread, text);
          }
        };
        if (merged) {
          batch.fold(*merged);
        } else {
          batch.hand_on(add_all);
        }
        while (!stop.load(std::memory_order_relaxed)) {
          const std::uint64_t piece = next.fetch_add(1, std::memory_order_relaxed);
          if (piece >= run.end) return;
          batch.clear();
          source.read(bits, piece, batch);
          if (merged) batch.sort(*merged);
          add_all();
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
  return stream_of(source, bits, run, key_writer(values), {}, options, context);
}

RecordTexts record_texts_of(const records::RecordSpool& spool, records::Duplicates duplicates,
                            const input::TextOptions& options, const base::BuildContext& context) {
  const unsigned bits = spool.piece_bits();
  std::atomic<bool> refer{false};
  const WriteText write = [&](const RecordEntry& entry, std::string& to) {
    input::begin_text(entry.key(), to);
    if (records::append_record_text(spool, entry, to)) refer.store(true, std::memory_order_relaxed);
  };
  RecordTexts all;
  all.texts =
      stream_of(spool, bits, {0, std::uint64_t{1} << bits}, write, duplicates, options, context);
  all.refer_to_spool = refer.load(std::memory_order_relaxed);
  return all;
}

}  // namespace crivo::index
