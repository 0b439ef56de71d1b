"""The model that needs OR-Tools is not read where it is not installed; test_steps_by_cpsat.py says so."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("ortools") else ["cpsat_model.py"]
