// SPDX-License-Identifier: Apache-2.0
/// How a build divides its memory, by what its input looks like.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "build/memory_need.hpp"
#include "crivo/build/build.hpp"

namespace crivo::index {

/// The budget of a build, and whether its input fits into that.
class MemoryPlan {
 public:
  /// The facts that a look at the beginning of an input gave. A default one knows nothing.
  struct Input {
    std::string name{};                ///< for messages
    std::optional<MemoryNeed> need{};  ///< of the build; none: it is never refused
    std::optional<std::uint64_t> keys{};
    double record_bytes = 0;   ///< of a record with its key, or of a key that is kept
    bool has_records = false;  ///< else `record_bytes` is of a key alone
  };

  explicit MemoryPlan(const BuildOptions& options);

  const MemoryBudget& budget() const noexcept { return budget_; }
  unsigned threads() const noexcept { return threads_; }

  /// Plans for such an input. Throws what refuse_too_many() does for its keys.
  void expect(Input input);
  const Input& input() const noexcept { return input_; }

  /// Throws Error(io), with what it takes, unless `work` ("a build") on so many keys, of the input
  /// called `name`, can keep to the budget.
  void require(const std::string& name, std::uint64_t keys, const MemoryNeed& need,
               std::string_view work) const;
  /// Throws what require() does if the expected input has so many keys, and its build a need.
  void refuse_too_many(std::uint64_t keys) const;

  /// The pieces of a records::RecordSpool for the records of the expected input, and what it takes
  /// of the budget's stream_bytes().
  unsigned spool_bits() const noexcept;
  std::uint64_t spool_bytes() const noexcept;
  /// Returns the bytes of the budget that are left to the stream of keys.
  std::uint64_t key_bytes() const noexcept { return budget_.stream_bytes() - spool_bytes(); }

 private:
  MemoryBudget budget_;
  unsigned threads_;
  bool ignores_duplicates_;
  Input input_;
};

}  // namespace crivo::index
