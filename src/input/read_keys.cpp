// SPDX-License-Identifier: Apache-2.0
#include <exception>

#include "crivo/build/keys.hpp"
#include "crivo/error.hpp"
#include "input/for_each_chunk.hpp"
#include "input/hash_keys.hpp"

namespace crivo {
namespace {

/// `take` appends a chunk's keys to a block, up to a fault, which it throws.
template <typename Take>
void read_blocks(const KeyInput& input, const input::UnitFraming& framing, Progress& progress,
                 const VisitKeys& visit, Take&& take) {
  input::ChunkReader reader(input, framing, {.in_order = true, .eager = true});
  KeyBlock block;
  input::for_each_chunk(reader, input, framing, {1, progress},
                        [&](unsigned, const input::Chunk& chunk) {
                          block.keys.clear();
                          block.records.clear();
                          std::exception_ptr fault;
                          try {
                            take(chunk, block);
                          } catch (const Error&) {
                            fault = std::current_exception();
                          }
                          visit(block);
                          if (fault) std::rethrow_exception(fault);
                        });
}

}  // namespace

void read_keys(const KeyInput& input, Progress& progress, const VisitKeys& visit) {
  read_blocks(input, input::UnitFraming::of_keys(input.format), progress, visit,
              [&](const input::Chunk& chunk, KeyBlock& block) {
                input::for_each_key(chunk, input.format,
                                    [&](std::string_view key, std::uint64_t, std::size_t) {
                                      block.keys.push_back(key);
                                    });
              });
}

void read_records(const KeyInput& input, Progress& progress, const VisitKeys& visit) {
  read_blocks(input, input::UnitFraming::of_records(input.format), progress, visit,
              [&](const input::Chunk& chunk, KeyBlock& block) {
                input::for_each_record(
                    chunk, input.format,
                    [&](std::string_view key, std::string_view record, std::uint64_t, std::size_t) {
                      block.keys.push_back(key);
                      block.records.push_back(record);
                    });
              });
}

std::optional<std::uint64_t> input_bytes(const std::vector<std::string>& paths) {
  return input::regular_input_bytes(paths);
}

}  // namespace crivo
