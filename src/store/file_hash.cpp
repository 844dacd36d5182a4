#include "store/file_hash.hpp"

#include <xxhash.h>

#include <algorithm>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "crivo/error.hpp"

namespace crivo::store {

std::uint64_t hash_file(const util::FileDescriptor& file, std::uint64_t size,
                        util::Progress* progress) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       &XXH3_freeState);
  if (state == nullptr) throw std::bad_alloc();
  XXH3_64bits_reset(state.get());
  std::vector<std::byte> buffer(std::min<std::uint64_t>(size, std::uint64_t{1} << 20));
  for (std::uint64_t at = 0; at < size;) {
    const auto piece = std::span(buffer).first(std::min<std::uint64_t>(buffer.size(), size - at));
    if (!file.read_at(at, piece)) throw Error(ErrorKind::corrupt, "the file is cut short");
    XXH3_64bits_update(state.get(), piece.data(), piece.size());
    at += piece.size();
    if (progress != nullptr) progress->add(piece.size());
  }
  return XXH3_64bits_digest(state.get());
}

}  // namespace crivo::store
