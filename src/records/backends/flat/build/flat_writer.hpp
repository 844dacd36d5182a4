// SPDX-License-Identifier: Apache-2.0
/// Writing the records of the flat backend.
#pragma once

#include <memory>

#include "records/build/backend_writer.hpp"

namespace crivo::records {

std::unique_ptr<RecordFileWriter> write_flat(file::PendingFile& data, file::ContainerWriter& index,
                                             const RecordFilePlan& plan);

}  // namespace crivo::records
