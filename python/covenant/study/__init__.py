"""Studies: compile and simulate every combination of models, machines and memories, and keep the results.

Example:
    >>> from covenant.study import Study
    >>> study = Study.load("examples/04_study.toml")
    >>> len(study.plan().points)
    40
"""

from covenant.study.description import Objective, StudyMachine, StudyModel, StudySearch
from covenant.study.numerics import StudyNumerics
from covenant.study.row import StudyRow
from covenant.study.running import State
from covenant.study.study import Study
from covenant.study.table import StudyResult

__all__ = [
    "Objective", "State", "Study", "StudyMachine", "StudyModel", "StudyNumerics", "StudyResult", "StudyRow",
    "StudySearch",
]  # fmt: skip
