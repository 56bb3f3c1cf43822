"""`python -m docs.make.improve`: improve the bad plans of the five abilities, and write `docs/improve.md` about it.

The searches and their tests take hours of one core. They are kept in `runs/improve`: an interrupted run resumes, and a
search that is there is not repeated. An ability without a finished search is listed as such.
"""

from __future__ import annotations

import argparse
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docs.make.pages import replaced
from hive.experiments.plots.search import draw_curve
from hive.experiments.search.generation import Generation
from hive.kit.keep.lines import split_lines
from hive.kit.view.charts import COLOURS, empty_page, hex_of, lay_ground, lay_legend
from hive.worlds.battle.abilities import ABILITIES, Ability
from hive.worlds.battle.scenario import load_scenario

DOCS = Path(__file__).resolve().parents[1]
PAGE, PLANS, CURVE = DOCS / "improve.md", DOCS / "improve", DOCS / "improve" / "curve.png"
RUNS = Path("runs") / "improve"
SHOWN = "exploit_weakness"  # the ability whose family and plan are on the page
SEEDS = 20


@dataclass(frozen=True)
class Improved:
    """What the folder of a finished search holds."""

    ability: Ability
    config: dict[str, Any]
    tests: list[dict[str, Any]]
    generations: list[Generation]
    family: str
    plan: str


def main() -> None:
    """Search where that has not been done, unless told not to, and write the page, its picture and the plans."""
    parser = argparse.ArgumentParser(prog="python -m docs.make.improve", description=__doc__)
    parser.add_argument("--no-search", action="store_true", help="write the page from the searches that there are")
    search = not parser.parse_args().no_search
    found = [one for ability in ABILITIES if (one := _improved(ability, search))]
    PLANS.mkdir(exist_ok=True)
    for one in found:
        (PLANS / f"{one.ability.name}.plan").write_text(one.plan, encoding="utf-8", newline="\n")
    _draw(found)
    table = replaced(PAGE.read_text(encoding="utf-8"), "table", f"\n{_table(found)}\n\n")
    text = replaced(table, "family", f"\n{_family(found)}\n\n")
    PAGE.write_text(text, encoding="utf-8", newline="\n")
    print(f"wrote {PAGE}, {CURVE} and {len(found)} plans")


def _improved(ability: Ability, search: bool) -> Improved | None:
    """Return the search of an ability, after running it if it is not there; None if it is not to be run."""
    folder = RUNS / ability.name
    if not folder.exists():
        if not search:
            return None
        from hive.cli import main as hive

        sizes = f"40,200,{load_scenario(ability.scenario).player.count}"
        words = ["improve", f"{ability.name}_bad", "--out", str(folder), "--test-units", sizes]
        if hive([*words, "--test-seeds", str(SEEDS)]):
            raise SystemExit(f"the search of {ability.name} failed")
    lines = split_lines((folder / "generations.jsonl").read_text(encoding="utf-8"))
    return Improved(
        ability,
        json.loads((folder / "config.json").read_text(encoding="utf-8")),
        json.loads((folder / "tests.json").read_text(encoding="utf-8")),
        [Generation.from_json(json.loads(line)) for line in lines],
        (folder / "family.md").read_text(encoding="utf-8"),
        (folder / "plan.plan").read_text(encoding="utf-8"),
    )


def _table(found: list[Improved]) -> str:
    """Return a row for each ability and size: games searched, then wins and mean score before and after."""
    rows = [
        "| Ability | Games searched | Units | Wins before | after | Score before | after |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in found:
        for at, test in enumerate(one.tests):
            name, games = (one.ability.title, f"{one.config['games']:,}") if not at else ("", "")
            before, after = test["before"], test["after"]
            wins = " | ".join(f"{each['outcomes']['win']} of {each['games']}" for each in (before, after))
            scores = " | ".join(_score(each) for each in (before, after))
            rows.append(f"| {name} | {games} | {test['units']:,} | {wins} | {scores} |")
    missing = [ability.title for ability in ABILITIES if ability not in [one.ability for one in found]]
    if missing:
        rows.append(f"\nNot searched yet: {', '.join(missing)}.")
    return "\n".join(rows)


def _score(summary: dict[str, Any]) -> str:
    if summary["score"]["is"].startswith("share"):
        return f"{summary['score']['mean']:.1%}"
    near = [game["score"] for game in summary["results"] if game["score"] is not None]
    return f"{sum(near) / len(near):.1f} m" if len(near) == summary["games"] else f"{len(near)} alive"


def _family(found: list[Improved]) -> str:
    """Return the family of one plan, its headings one level lower, and how long its search took."""
    one = next((each for each in found if each.ability.name == SHOWN), None)
    if one is None:
        return "This search has not been run yet."
    return re.sub(r"^#", "##", one.family.partition("\n")[2].strip(), flags=re.MULTILINE)


def _draw(found: list[Improved]) -> None:
    figure = empty_page("Best plan of each search, with its 95% interval", (8.4, 4.8))
    axes = figure.subplots()
    lay_ground(axes, "both")
    for one, colour in zip(found, COLOURS, strict=False):
        draw_curve(axes, one.generations, hex_of(colour), one.ability.title)
    axes.set_xlabel("games played")
    axes.set_ylabel("mean value; 1 is a win in every game")
    axes.set_ylim(-0.03, 1.03)
    axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    lay_legend(figure, [axes])
    figure.savefig(CURVE, format="png", dpi=130, facecolor=figure.get_facecolor())


if __name__ == "__main__":
    main()
