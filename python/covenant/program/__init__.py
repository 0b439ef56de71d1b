"""Programs: the compiler's output, its inputs and outputs, and the parts that the host computes."""

from covenant.program.program import Block, Program, is_program_file

__all__ = ["Block", "Program", "is_program_file"]
