/// The loaded library of a Verilated model.
#pragma once

#include <dlfcn.h>

#include "rtl/cosim/model.h"
#include "rtl/cosim/model_abi.h"

namespace covenant::rtl {

struct Model::Library {
  void* handle = nullptr;
  RunFunction run = nullptr;
  explicit Library(void* opened) : handle(opened) {}
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() { dlclose(handle); }
};

}  // namespace covenant::rtl
