# Writes OUTPUT, a C++ source whose NAMESPACE::FUNCTION() returns the texts of all files of TEXTS (separated by |).
#   cmake -DOUTPUT=texts.cpp -DTEXTS=a.sv|b.sv -DNAMESPACE=n -DFUNCTION=f -DHEADER=h -P embed.cmake
string(REPLACE "|" ";" texts "${TEXTS}")
set(code "// Written by rtl/gen/embed.cmake.\n#include \"${HEADER}\"\n\n#include <array>\n\nnamespace ${NAMESPACE} {\nnamespace {\n\n")
list(LENGTH texts count)
string(APPEND code "constexpr std::array<SourceText, ${count}> kTexts{{\n")
foreach(path IN LISTS texts)
  get_filename_component(name "${path}" NAME)
  file(READ "${path}" text)
  string(APPEND code "{\"${name}\", R\"source_text(${text})source_text\"},\n")
endforeach()
string(APPEND code "}};\n\n}  // namespace\n\nstd::span<const SourceText> ${FUNCTION}() { return kTexts; }\n\n}  // namespace ${NAMESPACE}\n")
file(WRITE "${OUTPUT}" "${code}")
