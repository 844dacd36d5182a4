// SPDX-License-Identifier: Apache-2.0
/// Records with the updates of an overlay.
#pragma once

#include <memory>

#include "records/backend.hpp"
#include "records/updates/overlay.hpp"

namespace crivo::records {

/// The records of `base` with the updates that are committed by now, and with none that come later.
/// Throws as Overlay::current() does.
std::shared_ptr<const RecordFile> with_updates(std::shared_ptr<const RecordFile> base,
                                               std::shared_ptr<Overlay> overlay);

}  // namespace crivo::records
