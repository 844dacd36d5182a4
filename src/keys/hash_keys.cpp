#include "keys/hash_keys.hpp"

#include <optional>
#include <vector>

#include "crivo/error.hpp"
#include "keys/duplicates.hpp"
#include "keys/input_spool.hpp"

namespace crivo::keys {
namespace {

/// Reads the files once more, in order, on one thread.
bool replay_files(const std::vector<std::string>& paths, const UnitFraming& framing,
                  const ParseKeys& parse, std::uint64_t seed, const KeyVisitor& visit) {
  ChunkReader reader(paths, framing, {.in_order = true});
  Chunk chunk;
  bool go_on = true;
  while (go_on && reader.next(chunk)) {
    parse(chunk, [&](std::string_view key, std::uint64_t i, std::size_t offset) {
      if (go_on) go_on = visit(hash_key(key, seed).lo, place_in(chunk, i, offset), &key);
    });
  }
  return true;
}

/// The pipeline for any sort of unit. take_units(chunk, add) calls add(key), which returns the
/// key's hash, for each key of a chunk; `parse` finds the same keys again for a message.
template <typename TakeUnits>
HashedKeys hash_input(const std::vector<std::string>& paths, const UnitFraming& framing,
                      bool in_order, TakeUnits&& take_units, const ParseKeys& parse,
                      const HashOptions& options, const util::BuildContext& context) {
  const std::optional<std::uint64_t> file_bytes = regular_input_bytes(paths);
  const bool spooled = !file_bytes && options.duplicates == DuplicatePolicy::refuse;
  InputSpool spool(options.temp_dir);
  ChunkReader reader(paths, framing, {.in_order = in_order || spooled});
  HashCollector collector(context.threads);

  context.progress.begin("hash", file_bytes.value_or(0), Progress::Unit::bytes);
  for_each_chunk(reader, paths, framing, context, [&](unsigned thread, const Chunk& chunk) {
    HashCollector::Writer& writer = collector.writer(thread);
    if (!spooled) {
      take_units(chunk, [&](std::string_view key) {
        const Hash128 hash = hash_key(key, options.seed);
        writer.add(hash);
        return hash;
      });
      return;
    }
    thread_local std::vector<std::uint64_t> low_halves;
    low_halves.clear();
    take_units(chunk, [&](std::string_view key) {
      const Hash128 hash = hash_key(key, options.seed);
      writer.add(hash);
      low_halves.push_back(hash.lo);
      return hash;
    });
    spool.add(chunk, low_halves);
  });

  HashCollector::Result sorted = collector.sort(context);
  if (!sorted.repeated.empty() && options.duplicates == DuplicatePolicy::refuse) {
    const auto replay = [&](const KeyVisitor& visit) {
      return spooled ? spool.replay(parse, visit)
                     : replay_files(paths, framing, parse, options.seed, visit);
    };
    throw Error(ErrorKind::bad_input,
                describe_duplicates(sorted.repeated, sorted.collected - sorted.hashes.size(), paths,
                                    replay));
  }
  return {std::move(sorted.hashes), sorted.collected, spool.temp_bytes()};
}

ParseKeys key_parser(const KeyFormat& format) {
  return
      [format](const Chunk& chunk, const VisitKey& visit) { for_each_key(chunk, format, visit); };
}

ParseKeys record_parser(const KeyFormat& format) {
  return [format](const Chunk& chunk, const VisitKey& visit) {
    for_each_record(chunk, format,
                    [&](std::string_view key, std::string_view, std::uint64_t index,
                        std::size_t offset) { visit(key, index, offset); });
  };
}

}  // namespace

void FirstFault::note(const InputFault& fault) {
  const std::scoped_lock lock(mutex_);
  if (!any_ || fault.place() < place_) {
    place_ = fault.place();
    problem_ = fault.what();
  }
  any_ = true;
}

void FirstFault::raise(const std::vector<std::string>& paths, const UnitFraming& framing) const {
  if (any_) throw Error(ErrorKind::bad_input, describe(paths, framing, place_, problem_));
}

HashedKeys hash_keys(const KeyInput& input, const HashOptions& options,
                     const util::BuildContext& context) {
  const auto take = [&](const Chunk& chunk, const auto& add) {
    for_each_key(chunk, input.format,
                 [&](std::string_view key, std::uint64_t, std::size_t) { add(key); });
  };
  return hash_input(input.paths, UnitFraming::of_keys(input.format), false, take,
                    key_parser(input.format), options, context);
}

HashedKeys hash_records(const KeyInput& input, const HashOptions& options, const TakeRecord& take,
                        const util::BuildContext& context) {
  const auto take_pair = [&](const Chunk& chunk, const auto& add) {
    for_each_record(chunk, input.format,
                    [&](std::string_view key, std::string_view record, std::uint64_t index,
                        std::size_t) { take(add(key), chunk.ordinal + index, key, record); });
  };
  return hash_input(input.paths, UnitFraming::of_records(input.format), true, take_pair,
                    record_parser(input.format), options, context);
}

bool replay_keys(const KeyInput& input, std::uint64_t seed, const KeyVisitor& visit) {
  if (!regular_input_bytes(input.paths)) return false;
  return replay_files(input.paths, UnitFraming::of_keys(input.format), key_parser(input.format),
                      seed, visit);
}

namespace {

/// Sums count(chunk) over the chunks of an input.
template <typename Count>
KeyCount count_units(const KeyInput& input, const UnitFraming& framing,
                     const util::BuildContext& context, Count&& count) {
  ChunkReader reader(input.paths, framing, {});
  std::atomic<std::uint64_t> keys{0};
  std::atomic<std::uint64_t> bytes{0};
  context.progress.begin("count", regular_input_bytes(input.paths).value_or(0),
                         Progress::Unit::bytes);
  for_each_chunk(reader, input.paths, framing, context, [&](unsigned, const Chunk& chunk) {
    const KeyCount counted = count(chunk);
    keys += counted.keys;
    bytes += counted.bytes;
  });
  return {keys, bytes};
}

}  // namespace

KeyCount count_keys(const KeyInput& input, const util::BuildContext& context) {
  return count_units(input, UnitFraming::of_keys(input.format), context, [&](const Chunk& chunk) {
    KeyCount count;
    for_each_key(chunk, input.format, [&](std::string_view key, std::uint64_t, std::size_t) {
      ++count.keys;
      count.bytes += key.size();
    });
    return count;
  });
}

KeyCount count_records(const KeyInput& input, const util::BuildContext& context) {
  return count_units(
      input, UnitFraming::of_records(input.format), context, [&](const Chunk& chunk) {
        KeyCount count;
        for_each_record(
            chunk, input.format,
            [&](std::string_view key, std::string_view record, std::uint64_t, std::size_t) {
              ++count.keys;
              count.bytes += key.size() + record.size();
            });
        return count;
      });
}

}  // namespace crivo::keys
