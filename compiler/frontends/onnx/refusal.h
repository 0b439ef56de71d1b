/// Diagnostics of the front end, ONXnnnn (docs/reference/diagnostics/ONX.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "acg/base/diagnostic.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::frontend {

inline constexpr std::string_view kNoFile = "ONX0001";
inline constexpr std::string_view kNoModel = "ONX0002";
inline constexpr std::string_view kExternalData = "ONX0003";
inline constexpr std::string_view kDynamicShape = "ONX0004";
inline constexpr std::string_view kDtype = "ONX0005";
inline constexpr std::string_view kOperator = "ONX0006";
inline constexpr std::string_view kFloatModel = "ONX0007";
inline constexpr std::string_view kDisconnected = "ONX0008";
inline constexpr std::string_view kMalformed = "ONX0009";
inline constexpr std::string_view kAttribute = "ONX0010";
inline constexpr std::string_view kTensorData = "ONX0011";
inline constexpr std::string_view kQuantization = "ONX0012";
inline constexpr std::string_view kWeights = "ONX0013";
inline constexpr std::string_view kFloatOperator = "ONX0014";
inline constexpr std::string_view kBias = "ONX0015";
inline constexpr std::string_view kRescaling = "ONX0016";
inline constexpr std::string_view kOpset = "ONX0017";

struct Refusal {
  std::string_view code;
  std::string subject;
  std::string message;
  std::string offending;
  std::vector<std::string> allowed;
  std::string fix;
};

Diagnostic diagnostic(Refusal refusal);

/// The name of a node for the user: `conv1 (QLinearConv)`.
std::string subject_of(const srdfg::Node& node);

/// ONX0009: the node contradicts itself or its inputs.
Diagnostic malformed(const srdfg::Node& node, std::string message, std::string offending);

/// ONX0010: a well-formed node on tensors of a rank that is not supported.
Diagnostic unsupported_rank(const srdfg::Node& node, std::string message, std::string offending, std::string fix);

/// The model is not quantised: how to do that.
Diagnostic float_model(std::string_view layer);

/// ONX0006: an operator that no rule of the front end takes.
Diagnostic unsupported_operator(const srdfg::Node& node);

/// `[1,3,8,8]`
std::string shape_text(const std::vector<uint64_t>& shape);

}  // namespace covenant::compiler::frontend
