"""Energy of a run as a proxy: events that were counted, times what each costs (docs/reference/energy.md).

Example:
    >>> from covenant.energy import EnergyTable
    >>> round(EnergyTable.defaults().multiply_accumulate(8, 8, 32), 6)  # 0.2 + 0.1 pJ
    0.3
"""

from covenant.energy.memory_energy import MemoryEnergy, memory_energy
from covenant.energy.reference_table import read_reference_table
from covenant.energy.split import Energy, EnergyPart, energy_of
from covenant.energy.table import EnergyTable

__all__ = [
    "Energy", "EnergyPart", "EnergyTable", "MemoryEnergy", "energy_of", "memory_energy", "read_reference_table",
]  # fmt: skip
