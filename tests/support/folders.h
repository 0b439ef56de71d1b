/// Folders of this build. They stand in the command line of one small library alone, so that ccache finds the objects
/// of all tests that another clone has compiled.
#pragma once

#include <string>

namespace covenant {

/// Where the sources of the project lie.
const std::string& source_folder();

/// Where models of RTL are kept, by their content.
const std::string& rtl_models_folder();

}  // namespace covenant
