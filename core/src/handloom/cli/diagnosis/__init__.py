"""What `handloom doctor` looks at; each function returns what it found as sentences."""

from handloom.cli.diagnosis.levels import Diagnosis, Level, ok, problem, warning

__all__ = ["Diagnosis", "Level", "ok", "problem", "warning"]
