// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/as_error.hpp"
#include "base/refuse_option.hpp"
#include "build/builds.hpp"
#include "build/choices.hpp"
#include "build/notes.hpp"
#include "build/store_lock.hpp"
#include "crivo/build/edit.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/error.hpp"

namespace crivo {
namespace {

/// The records of a store as the input of a build, checked as they are read.
class RecordWalk final : public KeySource {
 public:
  /// The records outlive this; messages call them `name`.
  RecordWalk(const records::RecordFile& records, std::string name)
      : records_(records), name_(std::move(name)) {}

  std::string name() const override { return name_; }

  bool next(KeyWriter& writer) override {
    if (rank_ != records_.records()) {
      rank_ =
          records_.visit_some(rank_, [&](std::uint64_t, std::string_view key,
                                         std::string_view record) { writer.record(key, record); });
    }
    return rank_ != records_.records();
  }

 private:
  const records::RecordFile& records_;
  std::string name_;
  std::uint64_t rank_ = 0;  ///< the next
};

}  // namespace

StoreCompaction compact_store(const std::filesystem::path& store,
                              const CompactOptions& options) try {
  if (!(options.above >= 0)) base::refuse_option("above", options.above, "is not at least 0");
  const index::StoreLock lock(store, options.resources.progress);
  const index::StoreFiles files = lock.open(store);
  const std::shared_ptr<const records::RecordFile> records = files.records();
  const records::RecordFile::Updates updates = records->updates();
  const std::uint64_t data_bytes = records->file_bytes();
  StoreCompaction done;
  done.records = index::present_records(*records);
  done.bytes_before = files.index.bytes() + data_bytes + updates.bytes;
  done.bytes = done.bytes_before;
  if (updates.changed + updates.added + updates.removed == 0) {
    if (files.updates) {  // of a writer that was killed: they keep the store from being signed
      lock.remove_updates(files);
      done.bytes -= updates.bytes;
    }
    return done;
  }
  if (static_cast<double>(updates.bytes) <= options.above * static_cast<double>(data_bytes))
    return done;
  KeyInput input = input_of(std::make_shared<RecordWalk>(*records, store.string()));
  input.format.allow_empty = true;
  BuildOptions build = index::recorded_options(files.index, options.resources);
  build.replace = true;
  const auto choices =
      index::options_of<StoreOptions>(index::recorded_choices(files.index.metadata()));
  BuildSummary summary = index::build_store(input, store, choices, build, lock.lock());
  done.is_compacted = true;
  done.bytes = summary.bytes;
  done.warnings = std::move(summary.warnings);
  return done;
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
