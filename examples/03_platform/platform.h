// Data that the parts of the example exchange: the two halves of the network, and the times of its images.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "acg/program/program.h"
#include "runtime/session/tensor.h"

using covenant::runtime::Tensor;

inline constexpr uint32_t kHostPorts = 2;  // ports of the DRAM; those of the accelerators follow

template <typename T>
T need(covenant::Result<T> result) {
  if (!result) throw std::runtime_error(covenant::render(result.error()));
  return std::move(*result);
}

inline void need(const covenant::Status& status) {
  if (!status) throw std::runtime_error(covenant::render(status.error()));
}

inline void expect(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(std::string("it does not hold: ") + what);
}

inline double nanoseconds(const sc_core::sc_time& time) { return time / sc_core::sc_time(1, sc_core::SC_NS); }
inline unsigned long long number(uint64_t value) { return value; }

// A part of the network, and the machine that it runs on.
struct Part {
  std::string name;
  covenant::acg::Machine machine;
  covenant::acg::Program program;
};

// A run of one part on one image.
struct Run {
  size_t part = 0;
  size_t image = 0;
  sc_core::sc_time begin;
  sc_core::sc_time end;
  uint64_t cycles = 0;
};

// Times of all images of the network in one way of running it.
struct Phase {
  sc_core::sc_time begin;
  sc_core::sc_time end;
  std::vector<Run> runs;
  std::vector<Tensor> outputs;
  sc_core::sc_time took() const { return end - begin; }
};
