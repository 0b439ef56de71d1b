/// The storage of a memory.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

namespace covenant::sc {

/// Bytes that it owns, or borrowed ones, which must outlive it.
class Storage {
 public:
  /// Zeros. The system gives pages when they are touched: gigabytes cost nothing before.
  explicit Storage(uint64_t bytes);
  explicit Storage(std::span<uint8_t> bytes) : bytes_(bytes) {}

  std::span<uint8_t> bytes() const { return bytes_; }

 private:
  struct Free {
    void operator()(uint8_t* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<uint8_t, Free> own_;
  std::span<uint8_t> bytes_;
};

}  // namespace covenant::sc
