/// The loaded library of a Verilated model.
#pragma once

#include <memory>

#include "rtl/cosim/model.h"
#include "rtl/cosim/model_abi.h"

namespace covenant::rtl {

struct Model::Library {
  std::shared_ptr<void> handle;
  RunFunction run = nullptr;
};

}  // namespace covenant::rtl
