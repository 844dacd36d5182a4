// SPDX-License-Identifier: Apache-2.0
/// The figures that the dissertation prints in its chapter 4, of a Pentium IV of 2.4 GHz with 4 GB
/// of memory; means over kRuns runs; times in seconds. Arrays by hash are of hu, hz and hj, by size
/// of n = 50,000, 100,000, ... 6,400,000.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace crivo::experiments::printed {

inline constexpr std::uint64_t kKeys = 10'935'928;
inline constexpr std::uint64_t kRuns = 50;
inline constexpr std::size_t kHashes = 3;

/// Table 4.2, lengths in bytes.
struct KeySet {
  std::uint64_t shortest;
  std::uint64_t longest;
  double mean;
};
inline constexpr KeySet kWords{1, 25, 8.52};
inline constexpr KeySet kUrls{7, 493, 57.23};

/// Tables 4.3 and 4.4: collisions a key, and the time to search all keys once.
struct Probing {
  double load;
  std::array<double, kHashes> collisions;
  std::array<double, kHashes> time;
};
inline constexpr std::array<Probing, 10> kWordsProbing{{
    {0.70, {1.16, 1.17, 88.76}, {7.72, 7.34, 46174.42}},
    {0.65, {0.92, 0.93, 0.94}, {7.21, 6.86, 7.00}},
    {0.60, {0.76, 0.75, 0.88}, {6.87, 6.56, 6.86}},
    {0.55, {0.62, 0.61, 0.81}, {6.63, 6.23, 6.72}},
    {0.50, {0.50, 0.50, 0.73}, {6.38, 6.03, 6.59}},
    {0.45, {0.41, 0.41, 0.62}, {6.18, 5.84, 6.35}},
    {0.40, {0.34, 0.33, 0.50}, {6.06, 5.69, 6.01}},
    {0.35, {0.27, 0.27, 0.34}, {5.93, 5.55, 5.69}},
    {0.30, {0.21, 0.21, 0.23}, {5.80, 5.44, 5.56}},
    {0.25, {0.17, 0.17, 0.20}, {5.74, 5.38, 5.50}},
}};
inline constexpr std::array<Probing, 10> kUrlsProbing{{
    {0.70, {1.17, 1.16, 381.69}, {14.37, 14.87, 85434.55}},
    {0.65, {0.93, 0.93, 0.94}, {13.63, 14.14, 12.00}},
    {0.60, {0.75, 0.75, 0.88}, {13.06, 13.56, 11.84}},
    {0.55, {0.61, 0.61, 0.81}, {12.62, 13.10, 11.65}},
    {0.50, {0.50, 0.50, 0.73}, {12.28, 12.76, 11.34}},
    {0.45, {0.41, 0.41, 0.62}, {11.98, 12.43, 11.01}},
    {0.40, {0.33, 0.33, 0.50}, {11.74, 12.21, 10.61}},
    {0.35, {0.27, 0.27, 0.34}, {11.56, 12.00, 10.03}},
    {0.30, {0.21, 0.21, 0.23}, {11.41, 11.85, 9.77}},
    {0.25, {0.17, 0.17, 0.20}, {11.26, 11.72, 9.68}},
}};

/// Tables 4.5 to 4.8: the time to search all keys by an MPHF, the load at which linear probing
/// takes as long, and what each takes beside the n pointers, in units of 2^20 bytes.
struct Searching {
  std::array<double, kHashes> time;
  double equal_load;
  double overhead;
  double probing_overhead;
};
/// Their rows hl: the time of linear probing at that load.
struct ProbingRow {
  double load;
  std::array<double, kHashes> time;
};
struct SearchingRows {
  Searching fch;
  Searching mwhc2;
  Searching mwhc3;
  ProbingRow at_fch{};  ///< the row below FCH's, and so on
  ProbingRow at_mwhc2{};
  ProbingRow at_mwhc3{};
};
inline constexpr SearchingRows kWordsSearching{{{7.87, 7.56, 7.04}, 0.65, 6.1, 22.5},
                                               {{6.40, 5.91, 5.57}, 0.35, 87.1, 77.5},
                                               {{7.63, 6.99, 6.25}, 0.55, 51.3, 34.2},
                                               {0.65, {7.21, 6.86, 7.00}},
                                               {0.35, {5.93, 5.55, 5.69}},
                                               {0.55, {6.63, 6.23, 6.72}}};
inline constexpr SearchingRows kUrlsSearching{{{16.40, 21.94, 12.44}, 0.65195, 6.1, 22.27},
                                              {{14.88, 20.22, 10.62}, 0.40, 87.1, 62.6},
                                              {{19.14, 22.43, 14.11}, 0.65207, 51.3, 22.26},
                                              {0.65195, {13.64, 14.14, 12.26}},
                                              {0.40, {11.74, 12.21, 10.61}},
                                              {0.65207, {13.66, 14.15, 13.45}}};

/// Tables 4.9 and 4.11: the graphs tried, and times.
struct Graphs {
  double attempts;
  double mapping;  ///< and ordering
  double search;
  double total;
  double deviation;
};
inline constexpr std::array<Graphs, kHashes> kWordsMwhc2{{{7.5, 126.6, 3.3, 129.9, 127.7},
                                                          {2.5, 42.3, 3.3, 45.6, 31.6},
                                                          {13.0, 211.3, 3.3, 214.6, 202.7}}};
inline constexpr std::array<Graphs, kHashes> kWordsMwhc3{
    {{1, 23.9, 4.2, 28.1, 0.09}, {1, 23.4, 4.2, 27.6, 0.09}, {1.01, 22.7, 4.2, 26.9, 0.09}}};
inline constexpr std::array<Graphs, kHashes> kUrlsMwhc2{{{4.3, 112.5, 3.3, 115.8, 73.1},
                                                         {3.2, 101.0, 3.3, 104.3, 69.3},
                                                         {12.3, 267.3, 3.3, 270.6, 327.1}}};
inline constexpr std::array<Graphs, kHashes> kUrlsMwhc3{
    {{1.5, 52.7, 4.2, 56.9, 24.3}, {1, 39.6, 4.2, 43.8, 0.11}, {1, 31.5, 4.2, 35.7, 0.08}}};

/// Tables 4.10 and 4.12: the functions h20 tried, the alignments a pattern, and times. Ordering is
/// 0.04 in all of their rows.
inline constexpr double kFchOrdering = 0.04;
struct Patterns {
  double patterns;
  double alignments;
  double mapping;
  double search;
  double total;
  double deviation;
};
inline constexpr std::array<Patterns, kHashes> kWordsFch{
    {{108.8, 601.4, 9.7, 1029.3, 1039.04, 30.99},
     {160.7, 594.5, 9.4, 973.0, 982.44, 41.43},
     {1147.7, 3851.5, 9.0, 5857.2, 5866.24, 541.00}}};
inline constexpr std::array<Patterns, kHashes> kUrlsFch{
    {{227.0, 596.7, 16.0, 1950.88, 1966.92, 178.65},
     {168.7, 595.8, 16.6, 2093.00, 2109.64, 139.35},
     {1470.1, 3923.7, 14.3, 6098.36, 6112.70, 706.72}}};

/// Tables 4.13 to 4.17: attempts (of FCH the functions h20) and times by size. MWHC's ordering is
/// in its mapping. Most of the attempts are means of 30 runs: they are 30ths.
inline constexpr std::uint64_t kGrowthRuns = 30;
struct Growth {
  std::array<double, 8> attempts;
  std::array<double, 8> mapping;
  std::array<double, 8> ordering;
  std::array<double, 8> search;
  std::array<double, 8> total;
};
inline constexpr std::array<Growth, kHashes> kMwhc2Growth{{
    {{4.73, 3.33, 4.4, 4.93, 5.37, 9, 8.97, 7},
     {0.26, 0.43, 1.27, 3.01, 7.05, 22.96, 46.53, 74.79},
     {0, 0, 0, 0, 0, 0, 0, 0},
     {0.01, 0.02, 0.06, 0.13, 0.28, 0.57, 1.16, 2.39},
     {0.27, 0.45, 1.33, 3.14, 7.33, 23.53, 47.69, 77.18}},
    {{3.27, 2.67, 3.07, 2.57, 3.17, 2.4, 3.67, 3.17},
     {0.19, 0.35, 0.89, 1.58, 4.29, 6.2, 19.21, 34.21},
     {0, 0, 0, 0, 0, 0, 0, 0},
     {0.01, 0.02, 0.06, 0.13, 0.28, 0.57, 1.16, 2.38},
     {0.2, 0.37, 0.95, 1.71, 4.57, 6.77, 20.37, 36.59}},
    {{3.3, 3.2, 3.67, 4.13, 3.83, 2.47, 3.1, 4.33},
     {0.2, 0.45, 1.14, 2.7, 5.44, 6.78, 17.23, 49.14},
     {0, 0, 0, 0, 0, 0, 0, 0},
     {0.01, 0.02, 0.06, 0.13, 0.28, 0.57, 1.16, 2.4},
     {0.21, 0.47, 1.2, 2.83, 5.72, 7.35, 18.39, 51.54}},
}};
inline constexpr std::array<Growth, kHashes> kMwhc3Growth{{
    {{1.23, 1.13, 1.2, 1.13, 1.1, 1.1, 1.13, 1.03},
     {0.09, 0.19, 0.46, 0.95, 2.27, 4, 8.36, 16.01},
     {0, 0, 0, 0, 0, 0, 0, 0},
     {0.01, 0.02, 0.06, 0.15, 0.33, 0.68, 1.38, 2.85},
     {0.1, 0.21, 0.52, 1.1, 2.6, 4.68, 9.74, 18.86}},
    {{1, 1, 1, 1, 1, 1, 1, 1},
     {0.08, 0.18, 0.4, 0.86, 2.13, 3.71, 7.6, 15.68},
     {0, 0, 0, 0, 0, 0, 0, 0},
     {0.01, 0.02, 0.06, 0.15, 0.33, 0.68, 1.38, 2.85},
     {0.09, 0.2, 0.46, 1.01, 2.46, 4.38, 8.98, 18.53}},
    {{1.1, 1.3, 1.17, 1.24, 1.31, 1.26, 1.33, 1.35},
     {0.08, 0.19, 0.41, 0.9, 2.2, 3.85, 7.85, 16.19},
     {0, 0, 0, 0, 0, 0, 0, 0},
     {0.01, 0.02, 0.07, 0.15, 0.33, 0.68, 1.39, 2.89},
     {0.09, 0.21, 0.48, 1.05, 2.53, 4.53, 9.24, 19.08}},
}};
inline constexpr std::array<Growth, kHashes> kFchGrowth{{
    {{20.83, 20, 17.6, 21.57, 27.1, 50.27, 71.03, 68.93},
     {0.03, 0.07, 0.14, 0.29, 0.61, 1.28, 2.64, 5.47},
     {0.0004, 0.0006, 0.001, 0.002, 0.0038, 0.007, 0.0133, 0.025},
     {0.52, 1.28, 3.79, 11.48, 22.95, 66.4, 250.77, 699.17},
     {0.56, 1.35, 3.94, 11.78, 23.57, 67.69, 253.42, 704.67}},
    {{20.33, 39.77, 79.67, 61.23, 69.53, 92.63, 102.53, 143.9},
     {0.03, 0.07, 0.14, 0.28, 0.59, 1.25, 2.54, 5.26},
     {0.0004, 0.0005, 0.0011, 0.002, 0.0037, 0.0071, 0.0133, 0.0252},
     {0.44, 1.11, 3.47, 10.39, 21.76, 60.76, 229.02, 649.04},
     {0.47, 1.17, 3.6, 10.67, 22.35, 62.02, 231.57, 654.33}},
    {{123.2, 152.5, 192.53, 211.6, 343, 530.47, 525.53, 1065.7},
     {0.03, 0.06, 0.13, 0.26, 0.55, 1.17, 2.41, 5.02},
     {0.0004, 0.0007, 0.0011, 0.0019, 0.0039, 0.007, 0.0133, 0.0251},
     {0.99, 2.85, 9.84, 32.18, 98.38, 319.16, 1080.27, 3421.15},
     {1.02, 2.92, 9.96, 32.44, 98.94, 320.33, 1082.69, 3426.2}},
}};

}  // namespace crivo::experiments::printed
