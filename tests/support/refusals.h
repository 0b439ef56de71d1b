/// Counts the draws that a random test could not compare, by diagnostic, each with the share that is allowed.
#pragma once

#include <cstdint>
#include <cstdio>
#include <gtest/gtest.h>
#include <map>
#include <string>

#include "acg/base/diagnostic.h"

namespace covenant::test {

class Refusals {
 public:
  void compared() { ++draws_; }
  void refused(const Diagnostic& diagnostic) {
    ++draws_;
    ++times_[diagnostic.code];
    first_.emplace(diagnostic.code, diagnostic.message + " (" + diagnostic.offending + ")");
  }
  uint64_t draws() const { return draws_; }

  /// Prints all, and fails if a diagnostic refused more than its share of the draws (percent); one without a share may
  /// refuse none.
  void expect_within(const std::map<std::string, uint64_t>& shares) const {
    for (const auto& [code, times] : times_) {
      std::printf("%llu of %llu refused: %s %s\n", static_cast<unsigned long long>(times),
                  static_cast<unsigned long long>(draws_), code.c_str(), first_.at(code).c_str());
      const auto share = shares.find(code);
      const uint64_t percent = share == shares.end() ? 0 : share->second;
      EXPECT_LE(times * 100, percent * draws_)
          << code << " refused " << times << " of " << draws_ << ", at most " << percent << " % may be";
    }
  }

 private:
  uint64_t draws_ = 0;
  std::map<std::string, uint64_t> times_;
  std::map<std::string, std::string> first_;
};

}  // namespace covenant::test
