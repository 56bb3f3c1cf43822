"""Episodes of housework for a team of language agents: what is played, and what the episodes are worth."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsl import UserError
from dsl.wording import listing, plural
from hive.kit.agent_env import MOST_LIST_WORDS, ProposalAgentEnv
from hive.kit.keep.places import user_text
from hive.kit.keep.runfolder import Content
from hive.kit.reporting import Unwatched, Watch
from hive.kit.team_world import Cast, Round, RulePlayer, TeamGame, TeamRequest
from hive.kit.unplanned import AnyTeam
from hive.worlds.household.agents.agent_env import Estimate
from hive.worlds.household.agents.episodes import HouseEpisodes
from hive.worlds.household.codes import ACTING, AGENTS
from hive.worlds.household.episode import SWITCHES, switched
from hive.worlds.household.named import expanded, find_episode
from hive.worlds.household.results import HouseholdResults
from hive.worlds.household.speaker import answer
from hive.worlds.household.utility.own import own_costs

if TYPE_CHECKING:
    from hive.worlds.household.utility.regression import TextUtility

SPEAKER = "speaker"
EXACT = "exact"
UTILITY = "utility.npz"  # learned costs of options
COSTED = ("liet", "liet_fixed", "liet_report", "liet_kept")
"""Frameworks that show learned costs."""

LISTED = ("liet", "liet_blind", "liet_guessed", "liet_kept")
"""Frameworks whose agents share a list."""

_LONGEST_TIPS = 5_000  # characters of the list with which a team begins
_FIRST = 900_000  # seed of the first generated episode in which costs are learned, far from those that are played


class HouseholdTeams(AnyTeam):
    """Episodes of one kind of task; see `hive.kit.team_world.TeamWorld`.

    Attributes:
        episodes: What is played.
        agents: Size of a team.
    """

    noun, acting = "household", ACTING
    players: Mapping[str, str] = {SPEAKER: "a scripted team that reads the prompts and follows rules"}

    def __init__(self, request: TeamRequest, compared: bool = False) -> None:
        """Load the episodes.

        Args:
            request: Episodes, with or without `household/`, or words of `named.GROUPS`. Settings are `team`, the number
                of agents; `utility`, a file of learned costs or `exact`; `costs`, a function of one's own as
                `module:function` in place of learned costs; `tips`, a text file with the list with which teams begin;
                `carry`, whether a team begins each episode with the list with which it ended the one before;
                `detection`, the chance that an agent detects a thing that it sees in a tick; and `closing` and
                `turning`, the switches of `docs/rules/household.md` 4.4.
            compared: Whether several frameworks stand side by side: a setting concerns those that can use it.

        Raises:
            UserError: There is no such episode, they do not go together, or a setting is wrong.
        """
        known = "team", "utility", "costs", "tips", "carry", "detection", *SWITCHES
        given = request.settings(known, self.noun)
        self.agents = given.get("team", 2)
        if isinstance(self.agents, str) or not 1 <= self.agents <= AGENTS or self.agents != int(self.agents):
            raise UserError(f"a team has 1 to {AGENTS} agents, not {self.agents}")
        self._utility, self._tips = given.get("utility"), _read_tips(given.get("tips"))
        if given.get("carry", 0) not in (0, 1):
            raise UserError(f"the setting `carry` is 0 or 1, not {given['carry']}")
        self._carry, self._compared = bool(given.get("carry")), compared
        self._detection = given.get("detection", 1.0)
        if isinstance(self._detection, str) or not 0 < self._detection <= 1:
            raise UserError(f"the setting `detection` is above 0 and at most 1, not {self._detection}")
        self.episodes = [switched(find_episode(name), given) for name in expanded(request.worlds)]
        self._check()
        self._costs = own_costs(str(given["costs"])) if "costs" in given else None
        if self._costs and self._utility:
            raise UserError("the settings `utility` and `costs` contradict each other\n  = help: leave one out")
        if self._utility not in (None, EXACT):
            from hive.worlds.household.utility.regression import load

            load(self._utility)  # raises before anything is kept

    def identity(self) -> dict[str, Any]:
        """Return what decides the plays."""
        return {
            "episodes": [each.name for each in self.episodes],
            "team": self.agents,
            "utility": None if self._utility is None else str(self._utility),
            "tips": [self._tips, self._carry],
            **({"costs": [*self._costs.identity]} if self._costs else {}),
            **({"detection": self._detection} if self._detection < 1 else {}),
            **{name: True for name in SWITCHES if getattr(self.episodes[0], name)},
        }

    def rule_player(self, name: str, watch: Watch) -> RulePlayer:
        """Return the scripted team."""
        return RulePlayer(name="scripted team", about=self.players[name], speaker=answer)

    def check(self, cast: Cast) -> None:
        """Check that the framework shows costs and a list where settings concern them, unless several are compared.

        Raises:
            UserError: It does not.
        """
        if self._compared:
            return
        if (self._utility or self._costs) and cast.framework not in COSTED:
            setting = "utility" if self._utility else "costs"
            raise UserError(
                f"the setting `{setting}` cannot be used here: `{cast.framework}` shows no learned costs\n"
                f"  = help: leave it out, or play {listing(COSTED, 'or')}"
            )
        if (self._tips or self._carry) and cast.framework not in LISTED:
            raise UserError(
                f"the settings `tips` and `carry` cannot be used here: `{cast.framework}` has no shared list\n"
                f"  = help: leave them out, or play {listing(LISTED, 'or')}"
            )

    def rounds(
        self, cast: Cast, seeds: Sequence[int], folder: Path, watch: Watch
    ) -> Generator[Round[ProposalAgentEnv], Sequence[TeamGame], None]:
        """Yield all plays at once, or with a carried list one episode after the other."""
        estimate = self._estimate(cast.framework, folder / UTILITY, watch)
        tips = [self._tips] * len(seeds)
        for some in [[each] for each in self.episodes] if self._carry else [self.episodes]:
            lanes = [(episode, seed) for episode in some for seed in seeds]
            watch.stage(f"compiling {plural(len(lanes), self.noun)}", 1, "program")
            homes, numbers = zip(*lanes, strict=True)
            lists = tips * len(some)
            episodes = HouseEpisodes(
                homes,
                int(self.agents),
                numbers,
                estimate=estimate,
                exact=estimate is None,
                tips=lists,
                detection=self._detection,
            )
            played = yield Round(episodes, [f"{Path(episode.name).stem}/{seed}" for episode, seed in lanes])
            tips = [game.tips for game in played] if self._carry else tips

    def files(self, folder: Path) -> dict[str, Content]:
        """Return the costs that were learned."""
        kept = folder / UTILITY
        return {UTILITY: kept.read_bytes()} if kept.exists() else {}

    def results(self, games: Sequence[TeamGame], watch: Watch) -> HouseholdResults:
        """Return how the plays went."""
        return HouseholdResults(games)

    def _check(self) -> None:
        if len({each.rules for each in self.episodes}) > 1:
            raise UserError(
                "housework and transport cannot be played in one run, since their measures differ\n"
                "  = help: play them in two runs"
            )
        stems = [Path(each.name).stem for each in self.episodes]
        twice = next((stem for stem in stems if stems.count(stem) > 1), None)
        if twice is not None:
            raise UserError(
                f"two episodes are called `{twice}`, and each gets a folder of its name\n  = help: rename a file"
            )

    def _estimate(self, framework: str, kept: Path, watch: Watch) -> Estimate | None:
        """Return the learned costs that agents see; None for the true ones, or where agents see none.

        Costs are learned in generated episodes with the same rules as the first one that is played, and saved, so that
        a resumed run shows the same ones.
        """
        from hive.worlds.household.utility.regression import load, save

        if framework not in COSTED or self._utility == EXACT:
            return None
        if self._costs:
            return self._costs.ticks
        if self._utility is not None:
            return load(Path(self._utility)).ticks
        if not kept.exists():
            watch.stage("learning the costs of options", 1, "regression")
            first = self.episodes[0]
            save(_learned(first.rules, first.closing, first.turning), kept)
        return load(kept).ticks


def _read_tips(path: object) -> str:
    """Read the list with which teams begin; empty where no file is named.

    Raises:
        UserError: The file cannot be read, or the list is too long.
    """
    if path is None:
        return ""
    words = user_text(str(path)).split()
    if len(words) > MOST_LIST_WORDS:
        raise UserError(f"{path} has {len(words):,} words, and a shared list has at most {MOST_LIST_WORDS}")
    if len(text := " ".join(words)) > _LONGEST_TIPS:
        raise UserError(f"{path} has {len(text):,} characters, and a shared list has at most {_LONGEST_TIPS:,}")
    return text


@lru_cache(maxsize=2)
def _learned(rules: str, closing: bool, turning: bool) -> TextUtility:
    """Return costs that are learned in generated episodes; several players of one command share them."""
    from hive.worlds.household.utility.study import learn_costs

    return learn_costs(Unwatched(), rules == "transport", _FIRST, {"closing": closing, "turning": turning})
