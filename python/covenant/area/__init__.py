"""Area and cycle time of a machine as proxies: its RTL synthesised by Yosys (docs/reference/area.md)."""

from covenant.area.cells import BIT_AREA, CellLibrary
from covenant.area.proxy import Area, AreaMemory, area_of
from covenant.area.synthesis import Block

__all__ = ["BIT_AREA", "Area", "AreaMemory", "Block", "CellLibrary", "area_of"]
