// SPDX-License-Identifier: Apache-2.0
// Nothing but the headers that all tests share, which CMakeLists.txt has compiled once.
