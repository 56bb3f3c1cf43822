"""Names of the policies that ask no model, and what they are; this module loads nothing."""

from __future__ import annotations

ABOUT = {
    "planner": "knows everything, best split and tours of straight walks",
    "known": "cheapest by true cost, everything is known",
    "shared": "cheapest by true cost, all knowledge is shared at no cost",
    "talking": "the same, and a fifth of the decisions spend a message",
    "own": "cheapest by true cost, nothing is shared",
    "one-shared": "one object a trip, all is shared",
    "one-own": "one object a trip, nothing is shared",
    "learned-shared": "cheapest by learned cost, all is shared",
    "learned-own": "cheapest by learned cost, nothing is shared",
    "kinds-shared": "cheapest by the mean of its kind, all is shared",
    "kinds-own": "cheapest by the mean of its kind, nothing is shared",
    "subgoals": "MHP: search over subgoals, belief, regression",
    "subgoals-hearing": "MHP that hears the other's subgoal",
    "rules": "RHP: rules for containers, targets and the last delivery",
    "roaming": "any option at random",
}
