#include "rtl/gen/common/sv_text.h"

namespace covenant::rtl {

std::string vector_of(uint64_t bits) { return fmt::format("[{}:0]", bits - 1); }

std::string wire(uint64_t bits, const std::string& name) {
  return bits == 1 ? fmt::format("  logic {};\n", name) : fmt::format("  logic [{}:0] {};\n", bits - 1, name);
}

std::string write_wires(const std::string& signal, uint64_t bytes) {
  return wire(1, signal + "_write_valid") + wire(32, signal + "_write_element") +
         wire(bytes * 8, signal + "_write_data") + wire(bytes, signal + "_write_strobe");
}

std::string read_wires(const std::string& signal, uint64_t bytes) {
  return fmt::format("  logic {0}_read_valid;\n  logic [31:0] {0}_read_element;\n  logic {1} {0}_read_data;\n", signal,
                     vector_of(bytes * 8));
}

std::string unit_ports(const std::string& signal) {
  return fmt::format(R"(    .clk_i,
    .rst_ni,
    .clear_i          (blocks.start),
    .command_i        ({0}_command),
    .ready_o          ({0}_ready),
    .accepts_o        ({0}_accepts),
)",
                     signal);
}

std::string operation_class(std::string_view name, std::string_view comment, const std::vector<std::string>& members) {
  std::string text =
      fmt::format("  // {}\n  function automatic logic {}(input operation_t operation);\n", comment, name);
  text += "    unique case (operation)\n      ";
  for (size_t i = 0; i < members.size(); ++i) text += (i == 0 ? "" : i % 6 == 0 ? ",\n      " : ", ") + members[i];
  text += fmt::format(": {} = 1'b1;\n      default: {} = 1'b0;\n    endcase\n  endfunction\n", name, name);
  return text;
}

}  // namespace covenant::rtl
