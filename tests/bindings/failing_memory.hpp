// SPDX-License-Identifier: Apache-2.0
/// Calls of crivo.h while allocations fail.
#pragma once

#include <crivo.h>

#include <functional>
#include <string>

extern std::string folder;  ///< for files

/// Counts a failure, and prints it.
void complain(const char* problem);

/// Calls work() with each of its allocations failing, or with some of many. It is to leave
/// nothing open.
void try_each(const char* name, const std::function<crivo_status()>& work);

template <typename Opened>
using Open = crivo_status (*)(const char*, const crivo_open_options*, Opened**);

/// Opens `name` in the folder, asks and closes.
template <typename Opened, typename Ask>
void try_kind(const char* name, Open<Opened> open, void (*close)(Opened*), Ask ask) {
  const std::string path = folder + "/" + name;
  try_each(name, [&] {
    Opened* opened = nullptr;
    const crivo_status status = open(path.c_str(), nullptr, &opened);
    if (status != CRIVO_STATUS_OK) return status;
    const crivo_status asked = ask(opened);
    close(opened);
    return asked;
  });
}

/// The calls of failing_calls.cpp, after files named after their kinds were built in the folder.
void try_other_calls();
/// And then those of failing_lookups.cpp.
void try_rest();
