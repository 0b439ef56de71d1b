"""Programs: the compiler's output, its inputs and outputs, and the parts that the host computes."""

from covenant.program.parts import Part, ProgramParts, is_parts_file
from covenant.program.program import Block, Program, is_program_file

__all__ = ["Block", "Part", "Program", "ProgramParts", "is_parts_file", "is_program_file"]
