// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/arithmetic.hpp"
#include "base/as_error.hpp"
#include "build/build_frame.hpp"
#include "build/dedup_output.hpp"
#include "build/seen_filter.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/build/sort.hpp"
#include "crivo/error.hpp"
#include "input/text_units.hpp"
#include "lookup/describe.hpp"
#include "lookup/kinds.hpp"
#include "lookup/lookup_blocks.hpp"
#include "stream/distinct_count.hpp"

namespace crivo {
namespace index {
namespace {

/// The filter's file, which is locked as long as this call reads and replaces it.
class SeenFile {
 public:
  explicit SeenFile(const std::filesystem::path& path)
      : name_(lock_name(path)),
        exists_(name_ == nullptr),
        target_(file::OutputTarget::file(
            path, exists_ ? file::IfExists::replace : file::IfExists::refuse)),
        pending_(target_) {
    if (exists_) lock_.emplace(target_);
  }

  const file::OutputTarget& target() const noexcept { return target_; }

  SeenFilter open(const DedupOptions& options, const BuildFrame& frame,
                  const base::BuildContext& context) const {
    if (!exists_) return {options, frame.memory().budget()};
    const file::Container container = open_kind(target_.place(), file::Kind::filter);
    if (container.parts() != nullptr)
      throw Error(ErrorKind::usage, container.name() + ": a manifest cannot be changed");
    // Bytes written anew get new checksums, which must not vouch for damage.
    context.progress.begin("verify", container.bytes(), Progress::Unit::bytes);
    container.check_sums(context.threads,
                         [&](std::uint64_t bytes) { context.progress.add(bytes); });
    return {container, options, frame.memory().budget()};
  }

  /// Gives the filter the name. Returns what the file says of itself, and adds to the warnings.
  FileInfo publish(const SeenFilter& filter, std::vector<Warning>& warnings) {
    filter.write(pending_);
    FileInfo info;
    {
      const file::MappedFile mapped(pending_.path_to_open(), file::Loading::for_a_pass);
      info = describe(file::Container::over(mapped.bytes(), pending_.output().string()));
    }
    file::add_warnings(warnings, lock_ ? pending_.publish(*lock_) : pending_.publish());
    return info;
  }

 private:
  /// Where there is no filter: no other call makes one meanwhile. Null where there is one, perhaps
  /// of a call that was waited for.
  static std::unique_ptr<const file::NameLock> lock_name(const std::filesystem::path& path) {
    const auto target = file::OutputTarget::file(path, file::IfExists::replace);
    if (target.look()) return nullptr;
    auto lock = std::make_unique<const file::NameLock>(target);
    return target.look() ? nullptr : std::move(lock);
  }

  std::unique_ptr<const file::NameLock> name_;
  bool exists_;
  file::OutputTarget target_;
  file::PendingFile pending_;
  std::optional<file::OutputLock> lock_;
};

/// Drops what was seen.
class Sieve {
 public:
  Sieve(SeenFilter& filter, const DedupOptions& options, DedupOutput& kept, DedupSummary& summary)
      : filter_(filter), options_(options), kept_(kept), summary_(summary) {}

  void take(std::span<const std::string_view> texts) {
    for_each_hashed_block(texts, filter_.hash(),
                          [&](std::span<const Hash128> hashes, std::size_t begin) {
                            take(texts.subspan(begin, hashes.size()), hashes);
                          });
    summary_.texts += texts.size();
    kept_.end_block();
  }

  /// Throws Error(bad_input) if the filter had no room for all.
  void check_room(const std::string& name) const {
    if (!full_) return;
    // A little more than was counted: the estimate errs by 0.8 %, and more will come.
    const char* const units = options_.paragraphs ? "paragraphs" : "lines";
    const double needed =
        static_cast<double>(filter_.keys()) + std::ceil(1.05 * without_room_.count());
    throw Error(ErrorKind::bad_input,
                name + ": full: it has room for " + std::to_string(filter_.capacity()) + " " +
                    units + " and needs room for about " +
                    std::to_string(static_cast<std::uint64_t>(needed)) +
                    "; nothing was written or added; make a filter of that capacity, or let this "
                    "one grow",
                {.remedy = "grow"});
  }

 private:
  void take(std::span<const std::string_view> texts, std::span<const Hash128> hashes) {
    std::array<bool, kLookupBlock> others{};
    if (options_.parts != 1) {
      for (std::size_t i = 0; i != hashes.size(); ++i)
        others[i] = base::mulhi(hashes[i].lo, options_.parts) != options_.part;
    }
    std::array<bool, kLookupBlock> held = others;
    const std::size_t done = full_ ? 0 : filter_.add_new(hashes, held.data());
    for (std::size_t i = 0; i != hashes.size(); ++i) {
      if (others[i]) {
        ++summary_.other_parts;
      } else if (!held[i] && i < done) {
        kept_.add(texts[i]);
        ++summary_.kept;
      } else if (!held[i]) {
        without_room_.add(hashes[i]);
      }
    }
    full_ = full_ || done != hashes.size();
  }

  SeenFilter& filter_;
  const DedupOptions& options_;
  DedupOutput& kept_;
  DedupSummary& summary_;
  bool full_ = false;
  stream::DistinctEstimate without_room_;
};

void check(const DedupOptions& options) {
  const auto refuse = [](const std::string& text) { throw Error(ErrorKind::usage, text); };
  if (options.exact) {
    if (!options.seen.empty() || options.capacity != 0 || options.fpr || options.grow)
      refuse("an exact run uses no filter; leave out its name and options");
    if (options.parts != 1) refuse("an exact run cannot be done in parts");
    return;
  }
  if (options.seen.empty()) refuse("the filter of what was seen must be named");
  if (options.parts == 0 || options.part >= options.parts)
    refuse("part " + std::to_string(options.part) + " of " + std::to_string(options.parts) +
           ": parts count from 0");
}

/// The output is written in one piece at the end; one that may not fail for want of room, as it
/// comes.
bool is_streamed(const Output& output, const DedupOptions& options) noexcept {
  return options.grow && output.write() != nullptr;
}

void drop_seen(const std::vector<std::string>& paths, const Output& output,
               const DedupOptions& options, BuildFrame& frame, DedupSummary& summary) {
  const base::BuildContext context = frame.context();
  const KeyInput input{paths, {}};
  SeenFile seen(options.seen);
  seen.target().refuse_inputs(paths);
  if (!output.write()) seen.target().refuse_inputs({output.path().string()});
  SeenFilter filter = seen.open(options, frame, context);
  DedupOutput kept(is_streamed(output, options)
                       ? DedupOutput(output.write(), options.paragraphs)
                       : DedupOutput(frame.outputs().file(output, input), options.paragraphs));
  context.progress.begin("read", input_bytes(paths).value_or(0), Progress::Unit::bytes);
  Sieve sieve(filter, options, kept, summary);
  input::for_each_unit(paths, unit_of(options), kMaxRecordBytes, context.progress,
                       [&](std::span<const std::string_view> texts) { sieve.take(texts); });
  sieve.check_room(seen.target().path().string());
  context.progress.begin("write", 0);
  summary.bytes = kept.publish(summary.warnings);
  const FileInfo info = seen.publish(filter, summary.warnings);
  summary.seen = info.keys;
  summary.fpr = info.fpr.value_or(0);
  summary.capacity = filter.capacity();
  summary.layers = filter.layers();
}

}  // namespace
}  // namespace index

DedupSummary dedup(const std::vector<std::string>& paths, const Output& output,
                   const DedupOptions& options) try {
  const auto begin = std::chrono::steady_clock::now();
  index::check(options);
  const BuildOptions build{.replace = options.replace, .resources = options.resources};
  index::BuildFrame frame(build);
  const Progress::Phase phases[] = {{"verify", 0.1}, {"read", 1}, {"write", 0.2}};
  frame.context().progress.plan(phases);
  DedupSummary summary;
  if (options.exact) {
    index::keep_first(paths, output, options, frame, summary);
  } else {
    index::drop_seen(paths, output, options, frame, summary);
  }
  summary.threads = frame.memory().threads();
  frame.context().progress.finish();
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return summary;
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
