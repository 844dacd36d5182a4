// SPDX-License-Identifier: Apache-2.0
/// Pages of several files in one range of addresses.
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.hpp"
#include "base/file_descriptor.hpp"
#include "file/mapped_file.hpp"

namespace crivo::file {

/// A range of pages of layout::kPageAlignment bytes, each zero until it is given those of a file:
/// so that what is written for one run of bytes reads bytes that lie in many files. Where the
/// system's pages are larger, and where a copy is asked for, pages are memory of its own.
class PageImage {
 public:
  /// Of so many pages, for an index file called `name` in messages. Throws Error(io).
  PageImage(std::uint64_t pages, Loading loading, const std::string& name);
  ~PageImage();
  PageImage(const PageImage&) = delete;
  PageImage& operator=(const PageImage&) = delete;

  /// Whether pages are copied, by put(), and otherwise mapped.
  bool copies() const noexcept { return copies_; }
  /// Puts `pages` pages of a file, from `page` on, in the place of those from `at` on. All of them
  /// are in the file. Throws Error(io).
  void map(std::uint64_t at, const base::FileDescriptor& file, const std::string& name,
           std::uint64_t page, std::uint64_t pages);
  /// The same of bytes, whole pages.
  void put(std::uint64_t at, base::ByteView bytes);
  /// Call once, last: makes of it what the loading asks for. Throws Error(io) where it cannot be
  /// locked.
  void finish();

  base::ByteView bytes() const noexcept { return bytes_; }

 private:
  std::byte* address(std::uint64_t page) const noexcept;

  base::ByteView bytes_;
  Loading loading_;
  std::string name_;
  bool copies_;
};

}  // namespace crivo::file
