// SPDX-License-Identifier: Apache-2.0
#include "opening/filter_file.hpp"

#include <string>

#include "base/named_rows.hpp"
#include "base/refuse_option.hpp"
#include "crivo/error.hpp"
#include "file/only_structure.hpp"

namespace crivo::filter {

FilterFile::FilterFile(const file::Container& container) {
  type = file::only_structure(container, types());
  if (type == nullptr) container.fail("damaged: there is no filter section");
  section = container.require(type->section_type, type->name);
  membership = file::naming(container.name(), [&] { return type->open(section); });
  if (!hashing::stands_for(container.header().key_hash, type->key_hash)) {
    container.fail("damaged: the header and the filter disagree on the key hash function");
  }
  if (membership->size() != container.header().keys) {
    container.fail("damaged: the header and the filter disagree on n");
  }
}

const Type& find_type(const FilterOptions& options) {
  const FilterOptions defaults;
  const Type& type = base::find_named(types(), "filter type", options.type);
  const auto check = [&](bool unchanged, unsigned taken, const char* option) {
    if (unchanged || (type.takes & taken) != 0) return;
    base::refuse_option(option, "not an option of " + options.type + " filters");
  };
  check(options.capacity == defaults.capacity, kTakesCapacity, "capacity");
  check(options.hashes == defaults.hashes, kTakesHashes, "hashes");
  check(options.counter_bits == defaults.counter_bits, kTakesCounterBits, "counter_bits");
  check(options.arity == defaults.arity, kTakesArity, "arity");
  check(options.semi_sorted == defaults.semi_sorted, kTakesSemiSorted, "semi_sorted");
  if (options.fpr && options.bits) base::refuse_option("bits", "cannot be used with a fpr");
  (void)asked_fpr(options);
  return type;
}

}  // namespace crivo::filter
