/// The interface by which engines and instruction fetch report to the control of their machine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <systemc>

namespace covenant::sim::sc {

class ControlInterface : public virtual sc_core::sc_interface {
 public:
  /// Calls `body` unless the run has failed, and keeps any exception: exceptions must not pass through the kernel.
  /// `engine`: number of the caller's engine; the number after the last one stands for instruction fetch. Returns false
  /// if the run has failed.
  virtual bool guarded(std::optional<uint32_t> engine, const std::function<void()>& body) = 0;
  /// An engine has nothing left to do in this block, or its next block has been fetched.
  virtual void progressed() = 0;
};

}  // namespace covenant::sim::sc
