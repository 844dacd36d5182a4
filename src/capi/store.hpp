// SPDX-License-Identifier: Apache-2.0
/// An open store of the C interface.
#pragma once

#include "crivo/shared.hpp"
#include "crivo/store.hpp"

struct crivo_store {
  crivo::Shared<crivo::Store> shared;
};
