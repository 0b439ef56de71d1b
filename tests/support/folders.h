/// Folders of this build. They are in the command line of one small library only, so that ccache finds the objects of
/// all tests that another clone has compiled.
#pragma once

#include <string>

namespace covenant {

/// Folder of the project's sources.
const std::string& source_folder();

/// Folder in which models of RTL are cached, by their content.
const std::string& rtl_models_folder();

}  // namespace covenant
