/// A kind of unit for which the RTL has modules: the maker of its units, and its part of covenant_pkg.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "acg/operations/operation.h"
#include "rtl/gen/common/plan.h"

namespace covenant::rtl {

/// A number of instruction words that is set in parts, as a parameter of the package.
struct PartWidth {
  std::string_view what;  ///< numbers that have such parts, in words; empty: as the width before it
  std::string_view name;  ///< name of the parameter
  uint32_t bits = 0;
};

/// The part of a unit kind in the package of every machine.
struct PackagePart {
  std::vector<PartWidth> parts = {};
  std::string tables = {};                     ///< parameters of what words set part by part without being a number
  std::string constants = {};                  ///< parameters of other numbers
  std::vector<acg::Operation> pipelined = {};  ///< operations that retire later than one cycle after they issue
  std::string classes = {};                    ///< functions of an operation
  std::string functions = {};                  ///< functions of a word and its operands
};

struct UnitRow {
  acg::UnitKind kind;
  /// A unit, from what is known of any: the engine's place, name, depth and node. Its signal name is given later.
  std::unique_ptr<Unit> (*make)(const acg::Machine& machine, const acg::Engine& engine, UnitPlan plan);
  PackagePart (*package)(const Plan& plan);
  /// Name in the package of one of its operations.
  std::string (*enumerator)(acg::Operation operation);
};

}  // namespace covenant::rtl
