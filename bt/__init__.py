"""Behaviour trees as arrays, and the evaluator that runs all of them at once; generic over leaves."""

from bt.engine import Program, Ticked, program, tick
from bt.flatten import FAILURE, SUCCESS, Flat, flatten
from bt.trace import explain, record
from bt.trees import Trees, capacity, stack

__all__ = [
    "FAILURE",
    "SUCCESS",
    "Flat",
    "Program",
    "Ticked",
    "Trees",
    "capacity",
    "explain",
    "flatten",
    "program",
    "record",
    "stack",
    "tick",
]
