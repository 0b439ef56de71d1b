/// Converts options of the compiler from Python.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "compiler/driver/pipeline.h"
#include "compiler/schedule/parse.h"
#include "python/_core/common/errors.h"

namespace covenant::python {

/// `without`: names of optimisations that are left out.
inline compiler::Optimisations optimisations_without(const std::vector<std::string>& without) {
  const auto stays = [&](const char* name) { return std::find(without.begin(), without.end(), name) == without.end(); };
  return {stays("vectorise"), stays("pack"), stays("unroll"), stays("pipeline")};
}

/// `library`: a folder, or empty. `schedule`: the text of a schedule file, or empty; `file` names it in diagnostics.
/// `content`: the bytes of the model in place of those of its file, or empty. `without`: as above.
/// Throws CovenantError: the text is no schedule (SCH0001, SCH0002).
inline compiler::CompileOptions options_of(const std::string& library, const std::string& schedule,
                                           const std::string& file, const std::vector<std::string>& without,
                                           bool fusion = true, std::string content = "") {
  compiler::CompileOptions options;
  options.library = library;
  options.fusion = fusion;
  options.optimisations = optimisations_without(without);
  options.content = std::move(content);
  options.schedules = value_or_throw(compiler::parse_schedules(schedule, file));
  return options;
}

}  // namespace covenant::python
