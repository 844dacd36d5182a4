// SPDX-License-Identifier: Apache-2.0
/// The choices that a build's options make: checked, with how each is built.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "crivo/build/options.hpp"
#include "structures/build/filter.hpp"
#include "structures/build/mphf.hpp"
#include "structures/build/static_function.hpp"
#include "structures/dictionary/build/builder.hpp"

namespace crivo::index {

/// The algorithm of a name; throws Error(usage) that lists the names if there is none.
const mphf::Builder& find_algorithm(std::string_view name);

/// Those of the options, which it checks. Throws Error(usage).
const mphf::Builder& find_algorithm(const MphfOptions& options);
const mphf::Builder& find_algorithm(const StoreOptions& options);

}  // namespace crivo::index

namespace crivo::filter {

/// The type that the options name. Throws Error(usage): there is none (the message lists the
/// names), or an option is out of its range or not one of the type's.
const Builder& find_type(const FilterOptions& options);

}  // namespace crivo::filter

namespace crivo::map {

/// The algorithm that the options name. Throws Error(usage): there is none (the message lists the
/// names), or an option is out of its range or not one of the algorithm's.
const Builder& find_algorithm(const MapOptions& options);

/// The signatures of a map of n keys, `bits` each: the filter that a MapFile has beside its
/// function, and the bits that it takes for a key.
std::unique_ptr<Assembly> plan_signatures(std::uint64_t n, unsigned bits);
double signature_bits_per_key(std::uint64_t n, unsigned bits);

}  // namespace crivo::map

namespace crivo::exact {

/// The options as they are meant: a delimiter makes groups. Throws Error(usage) for what none can
/// be.
ExactOptions checked(ExactOptions options);

}  // namespace crivo::exact

namespace crivo::dictionary {

/// Returns the shape that the options ask for. Throws Error(usage).
Shape shape_of(const DictionaryOptions& options);

/// The type of the section that holds a part.
std::uint32_t section_of(Builder::Part part) noexcept;

}  // namespace crivo::dictionary
