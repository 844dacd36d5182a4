// SPDX-License-Identifier: Apache-2.0
#include "input/for_each_chunk.hpp"

#include "input/places.hpp"

namespace crivo::input {

void FirstFault::note(const InputFault& fault) {
  const std::scoped_lock lock(mutex_);
  if (!any_ || fault.place() < place_) {
    place_ = fault.place();
    problem_ = fault.what();
    remedy_ = fault.remedy();
  }
  any_ = true;
}

void FirstFault::raise(const Sources& sources, const UnitFraming& framing,
                       const Place& place) const {
  fail_at_place(sources, framing, place, problem_, remedy_);
}

}  // namespace crivo::input
