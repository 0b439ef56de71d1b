/// Reads an ONNX file without interpreting it: a graph whose operations are ONNX operators, with inferred shapes and
/// constants.
#pragma once

#include <string_view>

#include "acg/base/result.h"
#include "compiler/srdfg/declared.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::frontend {

/// The graph of the model at `path`. Operations carry the operator's name, preceded by its domain unless it is ONNX's
/// own ("com.microsoft.QGemm"); an optional input that is left out in the middle is a param without name, data or
/// elements. Constant nodes become params, int64 constants i32. Errors: ONX0001 to ONX0011, ONX0017
/// (docs/reference/diagnostics/ONX.md); invalid files are refused, whatever their content. `declared`: operators that
/// are read besides those of the front end.
Result<srdfg::Graph> read_onnx(std::string_view path, const srdfg::DeclaredOperators& declared = {});

/// The same for the bytes of a model.
Result<srdfg::Graph> read_onnx_bytes(std::string_view bytes, const srdfg::DeclaredOperators& declared = {});

}  // namespace covenant::compiler::frontend
