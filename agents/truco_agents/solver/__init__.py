"""What an agent loses to a player who knows it: exact best responses, exploitability, and small games solved."""

from __future__ import annotations

from truco_agents.solver.best_response import HandSolver, SolverError, Value

__all__ = ["HandSolver", "SolverError", "Value"]
