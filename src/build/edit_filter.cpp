// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/as_error.hpp"
#include "build/build_frame.hpp"
#include "build/given_keys.hpp"
#include "crivo/build/edit.hpp"
#include "crivo/error.hpp"
#include "crivo/suffixes.hpp"
#include "file/output_target.hpp"
#include "file/section_types.hpp"
#include "input/places.hpp"
#include "lookup/describe.hpp"
#include "lookup/filter_file.hpp"
#include "lookup/kinds.hpp"
#include "structures/build/filter.hpp"

namespace crivo {
namespace {

/// The names of the types that have all of `can`.
std::string types_that(unsigned can) {
  std::string names;
  for (const filter::Type& type : filter::types()) {
    if ((type.can & can) == can) names += (names.empty() ? "" : ", ") + std::string(type.name);
  }
  return names;
}

void check_can(const file::Container& container, const filter::Type& type, unsigned can,
               const char* what) {
  if ((type.can & can) == can) return;
  throw Error(ErrorKind::usage, container.name() + ": a " + std::string(type.name) + " filter, " +
                                    what + "; these can: " + types_that(can));
}

/// The same of a filter that is to be changed.
void check_can(const file::Container& container, const filter::FilterFile& filter, unsigned can,
               const char* what) {
  check_can(container, *filter.type, can, what);
  if (filter.layers > 1)
    throw Error(ErrorKind::usage, container.name() + ": has " + std::to_string(filter.layers) +
                                      " layers, to which only deduplication adds keys");
}

/// About what a change of one key takes, against the hashing of keys (build_phases.cpp).
constexpr double kEditNanoseconds = 60;

/// How the keys of the filter `path`, which must be of a type that `can`, are hashed.
FilterHashing open_hashing(const std::filesystem::path& path, unsigned can, const char* cannot) {
  const file::Container container = index::open_kind(path, file::Kind::filter);
  if (container.parts() != nullptr)
    throw Error(ErrorKind::usage,
                container.name() + ": a manifest cannot be changed; merge its parts first");
  check_can(container, filter::FilterFile(container), can, cannot);
  FilterHashing hashing = hashing_of(container);
  if (hashing.prefixes && (can & filter::kRemoves) != 0)
    throw Error(ErrorKind::usage,
                container.name() +
                    ": holds prefixes of its keys, which others may have too; no key can be "
                    "removed");
  return hashing;
}

/// Throws Error(io) unless the input can be read once more.
void check_can_read_again(const std::string& name, const KeyInput& input) {
  if (input::regular_input_bytes(input)) return;
  throw Error(ErrorKind::io, name +
                                 ": was replaced by a filter with another seed or key hash while "
                                 "keys were read from a pipe; nothing was changed; try again");
}

/// Throws Error(corrupt) unless every checksum holds: what is written anew gets new ones, which
/// must not vouch for damage.
void check_sums(const file::Container& container, const base::BuildContext& context) {
  context.progress.begin("verify", container.bytes(), Progress::Unit::bytes);
  container.check_sums(context.threads, [&](std::uint64_t bytes) { context.progress.add(bytes); });
}

/// The hashes that the filter surely lacks.
std::vector<Hash128> lacking(const filter::Membership& membership,
                             std::span<const Hash128> hashes) {
  std::vector<Hash128> absent;
  std::array<bool, 256> maybe{};
  while (!hashes.empty()) {
    const std::size_t count = std::min(maybe.size(), hashes.size());
    membership.contains(hashes.first(count), maybe.data());
    for (std::size_t i = 0; i < count; ++i) {
      if (!maybe[i]) absent.push_back(hashes[i]);
    }
    hashes = hashes.subspan(count);
  }
  return absent;
}

[[noreturn]] void refuse_removal(const file::Container& container, const KeyInput& input,
                                 std::span<const Hash128> absent) {
  const std::string count = std::to_string(absent.size());
  const auto found = index::find_key(input, container.header(), absent);
  throw Error(ErrorKind::bad_input, (found ? found->place + ": the key " + found->text + " is"
                                           : input::input_name(input, 0) + ": " + count +
                                                 (absent.size() == 1 ? " key is" : " keys are")) +
                                        " not in " + container.name() + " (" + count +
                                        " such keys in total); nothing was removed");
}

/// Describes the finished file, which is not published yet.
FileInfo describe(const file::PendingFile& pending) {
  const file::MappedFile mapped(pending.path_to_open(), file::Loading::for_a_pass);
  return index::describe(file::Container::over(mapped.bytes(), pending.output().string()));
}

/// Writes the file with its filter as the editor has it, and all else as it was.
void rewrite(const file::Container& container, const filter::FilterFile& filter,
             filter::Editor& editor, file::PendingFile& pending) {
  file::ContainerWriter writer(pending, container.hash_tree());
  for (const file::SectionEntry& entry : container.sections()) {
    if (entry.type == filter.type->section_type) {
      editor.write(writer.begin_section(entry.type));
    } else if (entry.type != file::kMetadataSection && !file::is_of_container(entry.type)) {
      writer.begin_section(entry.type, entry.tag, entry.alignment)
          .append(container.bytes_of(entry));
    }
  }
  file::Header header = container.header();
  header.keys = editor.size();
  header.build_id = {};  // no longer what a build made
  (void)writer.finish(header, container.metadata());
}

using Change = void (*)(filter::Editor& editor, const filter::FilterFile& filter,
                        const file::Container& container, const KeyInput& input,
                        std::span<const Hash128> hashes);

void add_all(filter::Editor& editor, const filter::FilterFile&, const file::Container& container,
             const KeyInput&, std::span<const Hash128> hashes) {
  for (const Hash128 hash : hashes) {
    if (editor.add(hash)) continue;
    throw Error(ErrorKind::io,
                container.name() + ": full: it holds " + std::to_string(container.header().keys) +
                    " keys and has no room for " + std::to_string(hashes.size()) +
                    " more; nothing was added; build it anew with a capacity for all",
                {.remedy = "capacity"});
  }
}

void remove_all(filter::Editor& editor, const filter::FilterFile& filter,
                const file::Container& container, const KeyInput& input,
                std::span<const Hash128> hashes) {
  const std::vector<Hash128> absent = lacking(*filter.membership, hashes);
  if (!absent.empty()) refuse_removal(container, input, absent);
  for (const Hash128& hash : hashes) {
    // A key that the filter only seemed to hold can be gone with the keys before it.
    if (!editor.remove(hash)) refuse_removal(container, input, {&hash, 1});
  }
}

/// The rate that a filter was built for, if that is known.
std::optional<double> built_fpr(const FileInfo& file) {
  if (file.asked_fpr) return file.asked_fpr;
  const auto found = std::ranges::find(file.parameters, "fpr_at_capacity", &Parameter::name);
  if (found == file.parameters.end()) return std::nullopt;
  return std::get<double>(found->value);
}

/// Throws Error(usage) if so many keys were added that `done.file`, which is not published yet,
/// errs far more often than the filter was built to.
void check_overfill(const FilterEdit& done, const std::string& name) {
  const std::optional<double> built = built_fpr(done.file);
  const double fpr = done.file.fpr.value_or(0);
  if (!built || done.file.keys <= done.capacity || fpr <= kMaxOverfill * *built ||
      fpr <= done.fpr_before) {
    return;
  }
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(),
                " keys would exceed its capacity of %llu: its false-positive rate would rise to "
                "%.3g, more than %g times the %.3g that it was built for",
                static_cast<unsigned long long>(done.capacity), fpr, kMaxOverfill, *built);
  throw Error(ErrorKind::usage,
              name + ": " + std::to_string(done.file.keys) + text.data() +
                  "; nothing was added; build a filter with a larger capacity, or "
                  "add all the same",
              {.remedy = "overfill"});
}

FilterEdit edit(const std::filesystem::path& path, const KeyInput& input,
                const FilterEditOptions& options, unsigned can, const char* cannot, Change change) {
  index::check_input(input, KindInput::keys, "a change of a filter");
  const BuildOptions build_options{.ignore_duplicates = options.ignore_duplicates,
                                   .resources = options.resources};
  index::BuildFrame frame(build_options);
  auto target = file::OutputTarget::file(path, file::IfExists::replace);
  target.set_progress(options.resources.progress);
  const FilterHashing hashing = open_hashing(target.place(), can, cannot);
  target.refuse_inputs(input.paths);
  file::PendingFile pending(target);
  // Too little to plan: the checksums.
  frame.prepare(input, index::Units::keys, {}, {{"change", kEditNanoseconds, false}});
  // Before the lock is taken: a pipe may be slow, and nobody else shall wait for it.
  GivenKeys given = hash_for(target.place().string(), hashing, input, frame);

  const file::OutputLock lock(target);
  const file::Container container = index::open_kind(target.place(), file::Kind::filter);
  const filter::FilterFile filter(container);
  check_can(container, filter, can, cannot);
  if (hashing_of(container) != hashing) {
    check_can_read_again(container.name(), input);
    given = hash_for(container.name(), hashing_of(container), input, frame);
  }
  check_sums(container, frame.context());
  FilterEdit done;
  done.keys_before = filter.membership->size();
  done.fpr_before = filter.membership->fpr();
  const std::unique_ptr<filter::Editor> editor = file::naming(
      container.name(), [&] { return filter::builder_of(*filter.type).edit(filter.section); });
  done.capacity = editor->capacity();
  done.given = given.hashes.size();
  done.duplicates = given.duplicates;
  done.warnings = std::move(given.warnings);
  frame.context().progress.begin("change", done.given);
  change(*editor, filter, container, input, given.hashes);
  rewrite(container, filter, *editor, pending);
  done.file = describe(pending);
  if (can == filter::kAdds && !options.overfill) check_overfill(done, container.name());
  file::add_warnings(done.warnings, pending.publish(lock));  // last: after it nothing may fail
  frame.context().progress.finish();
  return done;
}

/// The lock of an output that is one of the files to be read: taken before they are.
std::optional<file::OutputLock> lock_if_among(const file::OutputTarget& target,
                                              std::span<const std::filesystem::path> paths) {
  if (!target.is_among({paths.begin(), paths.end()})) return std::nullopt;
  return std::optional<file::OutputLock>(std::in_place, target);
}

/// Throws Error(usage) unless the two filters are of one type, of one key hash and seed, and have
/// prefixes alike.
void check_alike(const file::Container& first, const filter::Type& first_type,
                 const file::Container& other, const filter::Type& type) {
  if (&first_type != &type) {
    throw Error(ErrorKind::usage, other.name() + ": is a " + std::string(type.name) +
                                      " filter, and " + first.name() + " is a " +
                                      std::string(first_type.name) + " filter");
  }
  const file::Header& one = other.header();
  const file::Header& before = first.header();
  if (one.key_hash != before.key_hash) {
    throw Error(ErrorKind::usage,
                other.name() + ": has the key hash " +
                    std::string(hashing::key_hash_name(one.key_hash)) + ", and " + first.name() +
                    " has " + std::string(hashing::key_hash_name(before.key_hash)) +
                    "; build both with one seed",
                {.remedy = "seed"});
  }
  if (one.seed != before.seed) {
    throw Error(ErrorKind::usage,
                other.name() + ": has the seed " + std::to_string(one.seed) + ", and " +
                    first.name() + " has " + std::to_string(before.seed) +
                    "; build both with one seed",
                {.remedy = "seed"});
  }
  if (recorded_prefixes(other.metadata()) != recorded_prefixes(first.metadata()))
    throw Error(ErrorKind::usage,
                other.name() + ": holds other prefixes of its keys than " + first.name() +
                    "; build both with the same",
                {.remedy = "prefixes"});
}

/// Keeps the entries of `metadata` that `other` has with the same value.
void keep_common(const file::Metadata& other, file::Metadata& metadata) {
  std::erase_if(metadata, [&](const auto& entry) {
    const auto same = other.find(entry.first);
    return same == other.end() || same->second != entry.second;
  });
}

FilterCombination combine(std::span<const std::filesystem::path> paths,
                          const std::filesystem::path& output, bool replace,
                          filter::SetOperation operation) {
  if (paths.size() < 2) throw Error(ErrorKind::usage, "at least two filters are needed");
  if (operation == filter::SetOperation::intersect && paths.size() > kMaxIntersected) {
    throw Error(ErrorKind::usage, "at most " + std::to_string(kMaxIntersected) +
                                      " filters can be intersected at once");
  }
  const auto target =
      file::OutputTarget::file(output, replace ? file::IfExists::replace : file::IfExists::refuse);
  // A filter that is united with others in its own place is edited.
  const std::optional<file::OutputLock> lock = lock_if_among(target, paths);
  Progress progress;
  std::vector<file::Container> containers;
  std::vector<filter::NamedSection> sections;
  const filter::Type* type = nullptr;
  file::Metadata metadata;
  for (const std::filesystem::path& path : paths) {
    const file::Container& container =
        containers.emplace_back(index::open_kind(path, file::Kind::filter));
    const filter::FilterFile filter(container);
    check_can(container, *filter.type, filter::kUnites, "which cannot be united or intersected");
    check_sums(container, {base::thread_count(0), progress});
    if (type != nullptr) check_alike(containers.front(), *type, container, *filter.type);
    if (type == nullptr) {
      metadata = container.metadata();
    } else {
      keep_common(container.metadata(), metadata);
    }
    type = filter.type;
    sections.push_back({container.name(), filter.section});
  }

  file::PendingFile pending(target);
  file::ContainerWriter writer(pending);
  const filter::Combined combined = filter::builder_of(*type).combine(
      sections, operation, writer.begin_section(type->section_type));
  file::Header header = containers.front().header();
  header.keys = combined.keys;
  header.build_id = {};
  (void)writer.finish(header, metadata);
  FilterCombination done{describe(pending), combined.sizes, {}};
  done.warnings = lock ? pending.publish(*lock) : pending.publish();
  return done;
}

}  // namespace

FilterEdit add_to_filter(const std::filesystem::path& path, const KeyInput& input,
                         const FilterEditOptions& options) try {
  return edit(path, input, options, filter::kAdds, "which no key can be added to", add_all);
} catch (...) {
  base::rethrow_as_error();
}

FilterEdit remove_from_filter(const std::filesystem::path& path, const KeyInput& input,
                              const FilterEditOptions& options) try {
  return edit(path, input, options, filter::kRemoves, "which no key can be removed from",
              remove_all);
} catch (...) {
  base::rethrow_as_error();
}

FilterCombination unite_filters(std::span<const std::filesystem::path> paths,
                                const std::filesystem::path& output, bool replace) try {
  return combine(paths, output, replace, filter::SetOperation::unite);
} catch (...) {
  base::rethrow_as_error();
}

FilterCombination intersect_filters(std::span<const std::filesystem::path> paths,
                                    const std::filesystem::path& output, bool replace) try {
  return combine(paths, output, replace, filter::SetOperation::intersect);
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
