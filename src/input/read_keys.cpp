// SPDX-License-Identifier: Apache-2.0
#include <exception>

#include "crivo/build/keys.hpp"
#include "crivo/error.hpp"
#include "input/for_each_chunk.hpp"
#include "input/hash_keys.hpp"

namespace crivo {
namespace {

/// Calls `visit`, and names the place of the key that it refuses, if it does. `walk` as below.
template <typename Walk>
void visit_placed(const input::Chunk& chunk, const KeyBlock& block, const VisitKeys& visit,
                  Walk&& walk) {
  try {
    visit(block);
  } catch (const Error& error) {
    const ErrorPlace& place = error.place();
    if (error.kind() != ErrorKind::bad_input || !place.line || !place.file.empty()) throw;
    std::uint64_t number = 0;
    walk(chunk, [&](std::string_view, const std::string_view*, std::uint64_t index,
                    std::size_t offset) {
      if (++number == *place.line)
        throw input::InputFault(input::place_in(chunk, index, offset), error.what(), place.remedy);
    });
    throw;
  }
}

/// `walk` calls what it is given with each key of a chunk, its record or null, its index and its
/// offset, up to a fault, which it throws.
template <typename Walk>
void read_blocks(const KeyInput& input, const input::UnitFraming& framing, Progress& progress,
                 const VisitKeys& visit, Walk&& walk) {
  input::ChunkReader reader(input, framing, {.in_order = true, .eager = true});
  KeyBlock block;
  input::for_each_chunk(reader, input, framing, {1, progress},
                        [&](unsigned, const input::Chunk& chunk) {
                          block.keys.clear();
                          block.records.clear();
                          std::exception_ptr fault;
                          try {
                            walk(chunk, [&](std::string_view key, const std::string_view* record,
                                            std::uint64_t, std::size_t) {
                              block.keys.push_back(key);
                              if (record != nullptr) block.records.push_back(*record);
                            });
                          } catch (const Error&) {
                            fault = std::current_exception();
                          }
                          visit_placed(chunk, block, visit, walk);
                          if (fault) std::rethrow_exception(fault);
                        });
}

}  // namespace

void read_keys(const KeyInput& input, Progress& progress, const VisitKeys& visit) {
  read_blocks(input, input::UnitFraming::of_keys(input.format), progress, visit,
              [&](const input::Chunk& chunk, auto&& take) {
                input::for_each_key(chunk, input.format,
                                    [&](std::string_view key, std::uint64_t index,
                                        std::size_t offset) { take(key, nullptr, index, offset); });
              });
}

void read_records(const KeyInput& input, Progress& progress, const VisitKeys& visit) {
  read_blocks(input, input::UnitFraming::of_records(input.format), progress, visit,
              [&](const input::Chunk& chunk, auto&& take) {
                input::for_each_record(
                    chunk, input.format,
                    [&](std::string_view key, std::string_view record, std::uint64_t index,
                        std::size_t offset) { take(key, &record, index, offset); });
              });
}

std::optional<std::uint64_t> input_bytes(const std::vector<std::string>& paths) {
  return input::regular_input_bytes(paths);
}

}  // namespace crivo
