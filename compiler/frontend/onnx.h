/// Reads an ONNX file as it is: a graph whose operations are ONNX operators, shapes inferred, constants inside.
#pragma once

#include <string_view>

#include "acg/base/result.h"
#include "compiler/srdfg/declared.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::frontend {

/// The graph of the model at `path`. Operations carry the operator's name, with its domain in front unless it is ONNX's
/// own ("com.microsoft.QGemm"); an optional input left out in the middle is a param without name, data or elements.
/// Constant nodes become params, int64 constants i32. Errors: ONX0001 to ONX0011, ONX0017
/// (docs/reference/diagnostics/ONX.md); files of any content are refused, never trusted.
/// `declared`: operators that are read beside those of the front end.
Result<srdfg::Graph> read_onnx(std::string_view path, const srdfg::DeclaredOperators& declared = {});

/// The same for the bytes of a model.
Result<srdfg::Graph> read_onnx_bytes(std::string_view bytes, const srdfg::DeclaredOperators& declared = {});

}  // namespace covenant::compiler::frontend
