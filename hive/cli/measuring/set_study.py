"""`hive study`: commanders on a set of drawn battles, with scores by level, pairs and costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from dsl import UserError
from dsl.wording import plural
from hive.cli.command import Command
from hive.cli.commanders import check_names, is_model, model_opener
from hive.cli.measuring.set_settings import StudySet
from hive.cli.printing import tell
from hive.cli.progress import watching
from hive.kit.reporting import Watch

if TYPE_CHECKING:
    from hive.cli.commanders import GamesProgress
    from hive.experiments.commanders.kept import KeptGame, Written
    from hive.experiments.commanders.moments import Commander
    from hive.experiments.commanders.playing import CommandedGame, Terms
    from hive.experiments.panel.measuring import Trial
    from hive.experiments.sets.policies import TrainedPolicy
    from hive.experiments.sets.scoring import SetStudy
    from hive.worlds.battle.drawn.sets import BattleSet
    from hive.worlds.battle.environment.sets import BattleSetEnv

_BASELINES = ("stand", "attack", "default", "words")


def _run(settings: StudySet) -> int:
    """Let all commanders write plans or command games, and show scores.

    Raises:
        UserError: The set, a commander or a model is unknown, or the folder cannot be written.
    """
    from hive.experiments.commanders.kept import Folder
    from hive.experiments.panel.measuring import Trial
    from hive.players.llm.calling import Ledger
    from hive.worlds.battle.drawn.sets import load_set

    settings.check_folder(settings.out)
    settings.use_cache()  # before a policy is read, which compiles its environment
    terms = settings.terms() if settings.command else None
    asked = settings.asked()
    plain, policies = _plain(settings, asked)
    found = load_set(settings.set)
    with watching(quiet=settings.json) as watch:
        trials = [Trial(name) for name in found.names]
        _check(plain, trials)
        envs = [each.env(found, trials) for each in policies]
        for folder in (each for each in plain if isinstance(each, Folder)):
            if terms:
                folder.check_games(found.names, settings.seeds, terms)
            else:
                for name in found.names:
                    folder.written(name)  # raises
        kept = None
        if settings.out:
            from hive.cli.measuring.set_files import begin

            kept = begin(
                settings,
                settings.out,
                found,
                terms,
                [*(each.name for each in plain), *map(str, asked), *(each.name for each in policies)],
            )
        record = settings.record or (kept.record if kept else None)
        grammar = settings.grammar != "off"
        drawn, version = settings.drawn(), settings.prompt_version
        model = model_opener(settings, drawn, settings.repairs, grammar, version, Ledger(), record)
        commanders = [*plain, *map(model, asked)]
        try:
            if terms is None:
                study, files = _plan_once(settings, found, commanders, trials, kept, watch)
                study = _act(settings, study, policies, envs, watch)
            else:
                study, files = _command(settings, found, commanders, trials, terms, kept, watch)
        except KeyboardInterrupt:
            if kept:
                what = "finished games" if terms else "finished plans and replies of models"
                tell(f"{what} are kept in {kept.folder}; the same command goes on with them")
            raise
    settings.output({**study.json(), "games": [*study.games()]}, "\n\n".join(study.tables()))
    if kept:
        from hive.cli.measuring.set_files import finish

        finish(settings, study, trials, files, policies, record)
    return 0


def _plain(settings: StudySet, models: Sequence[str | None]) -> tuple[list[Commander], list[TrainedPolicy]]:
    """Return the commanders that are no models, and the policies.

    Raises:
        UserError: One is unknown, two have one name, or a policy is to give orders.
    """
    from hive.experiments.commanders.naming import read_commander
    from hive.experiments.panel.members import POLICY
    from hive.experiments.sets.policies import read_policy

    named = [text for text in dict.fromkeys(settings.by or (() if models else _BASELINES)) if not is_model(text)]
    acting = [text for text in named if text.startswith(POLICY)]
    if acting and settings.command:
        raise UserError(
            f"`{acting[0]}` cannot be asked for orders: a policy acts for every unit in each tick\n"
            "  = help: leave out --command, or the policy"
        )
    commanders = [read_commander(text) for text in named if text not in acting]
    policies = [read_policy(text) for text in acting]
    check_names([*(each.name for each in commanders), *(each.name for each in policies)], models)
    return commanders, policies


def _check(commanders: Sequence[Commander], trials: Sequence[Trial]) -> None:
    """Check before anything is played that all commanders can command all battles.

    Raises:
        UserError: One cannot.
    """
    from hive.engine.types import PLAYER
    from hive.experiments.commanders.known import Fixed
    from hive.worlds.battle.seat import Seat

    for each in commanders:
        if isinstance(each, Fixed) and each.enemy is not None:
            raise UserError(
                f"`{each.name}` has a plan for the enemy, and in a study the enemy follows the battle's own\n"
                "  = help: leave out `,ENEMY_FILE`"
            )
        for trial in trials:
            each.check(Seat(trial.world, PLAYER))


def _plan_once(
    settings: StudySet,
    found: BattleSet,
    commanders: Sequence[Commander],
    trials: Sequence[Trial],
    kept: GamesProgress | None,
    watch: Watch,
) -> tuple[SetStudy, dict[str, dict[str, str]]]:
    """Let each commander write a plan for each battle, and play the plans.

    Returns:
        The study, and the files of each commander's folder of plans.
    """
    from hive.experiments.commanders.kept import files_of
    from hive.experiments.sets.scoring import play_set

    written = {
        each.name: _write(each, trials, settings.concurrent, kept, place * len(trials), watch)
        for place, each in enumerate(commanders)
    }
    total = len(trials) * len(commanders) * settings.seeds
    watch.stage(f"playing {plural(total, 'game')}", total, "game")
    study = play_set(found, trials, written, settings.seeds, lambda done, _: watch.update(done))
    return study, {name: files_of(own) for name, own in written.items()}


def _act(
    settings: StudySet,
    study: SetStudy,
    policies: Sequence[TrainedPolicy],
    envs: Sequence[BattleSetEnv],
    watch: Watch,
) -> SetStudy:
    """Let policies play the games of a study, and return it with them, behind those that wrote plans."""
    from hive.experiments.sets.policies import play_set_policy

    results = dict(study.results)
    for policy, env in zip(policies, envs, strict=True):
        watch.stage(f"{policy.name} plays", len(env.names), "battle")
        results[policy.name] = play_set_policy(policy, env, settings.seeds, watch.update)
    return replace(study, results=results)


def _write(
    commander: Commander,
    trials: Sequence[Trial],
    concurrent: int,
    kept: GamesProgress | None,
    first: int,
    watch: Watch,
) -> dict[str, Written]:
    """Let a commander write a plan for each battle; requests to a model overlap.

    Args:
        commander: Who writes.
        trials: The battles.
        concurrent: Most requests to a model at the same time.
        kept: Where plans are kept; replies of models are kept as they come.
        first: Number of its first plan there.
        watch: Receives the progress.

    Raises:
        UserError: No request to a model brought a reply.
    """
    from hive.experiments.commanders.known import Model
    from hive.experiments.sets.planning import write_once
    from hive.players.llm.threads import side_by_side

    watch.stage(f"{commander.name} writes plans", len(trials), "plan")
    heard: list[Written] = []

    def hear(one: Written) -> None:
        heard.append(one)
        lost = sum(each.kind == "no_reply" for each in heard)
        watch.update(len(heard), f"{lost} without a reply" if lost else "")

    def write(trial: Trial, number: int) -> Written:
        if kept is None or isinstance(commander, Model):
            return write_once(commander, trial)
        found = kept.find_plan(number)
        if found is None:
            found = write_once(commander, trial)
            kept.add(number, found)
        return found

    most = concurrent if isinstance(commander, Model) else 1
    written = side_by_side([partial(write, trial, first + at) for at, trial in enumerate(trials)], most, hear)
    if isinstance(commander, Model) and all(each.kind == "no_reply" for each in written):
        raise UserError(written[0].text)
    return {trial.name: each for trial, each in zip(trials, written, strict=True)}


def _command(
    settings: StudySet,
    found: BattleSet,
    commanders: Sequence[Commander],
    trials: Sequence[Trial],
    terms: Terms,
    kept: GamesProgress | None,
    watch: Watch,
) -> tuple[SetStudy, dict[str, dict[str, str]]]:
    """Let each commander command a game of each battle and seed; those of a model overlap.

    Returns:
        The study, and the files of each commander's folder of plans.

    Raises:
        UserError: A model did not reply at all in a complete game.
    """
    from hive.experiments.commanders.kept import files_of_games
    from hive.experiments.commanders.known import Model
    from hive.experiments.sets.scoring import Ends, SetStudy
    from hive.players.llm.threads import side_by_side

    results: dict[str, dict[str, Ends]] = {}
    files: dict[str, dict[str, str]] = {}
    for place, commander in enumerate(commanders):
        pairs = [(trial, seed) for trial in trials for seed in range(settings.seeds)]
        watch.stage(f"{commander.name} commands {plural(len(pairs), 'game')}", len(pairs), "game")
        done: list[_Played] = []

        def hear(one: _Played, done: list[_Played] = done) -> None:
            done.append(one)
            watch.update(len(done))

        tasks = [
            partial(_game, commander, trial, seed, terms, kept, place * len(pairs) + number)
            for number, (trial, seed) in enumerate(pairs)
        ]
        played = side_by_side(tasks, settings.concurrent if isinstance(commander, Model) else 1, hear)
        by_battle: dict[str, list[_Played]] = {}
        for (trial, _), one in zip(pairs, played, strict=True):
            by_battle.setdefault(trial.name, []).append(one)
        results[commander.name] = {
            name: Ends.of([(one.game, one.outcome, one.ticks) for one in own]) for name, own in by_battle.items()
        }
        games = {name: {seed: one.game for seed, one in enumerate(own)} for name, own in by_battle.items()}
        chats = {name: text for one in played for name, text in one.chat.items()}
        files[commander.name] = files_of_games(games, terms) | chats
    return SetStudy(found, settings.seeds, results, terms), files


@dataclass(frozen=True)
class _Played:
    """A commanded game of a study: its plans and account, how it ended, and the file of its chat, if it has one."""

    game: KeptGame
    outcome: str
    ticks: int
    chat: dict[str, str]


def _game(
    commander: Commander, trial: Trial, seed: int, terms: Terms, kept: GamesProgress | None, number: int
) -> _Played:
    """Play one game, unless it was played before: then it is read, or played again from its plans."""
    from hive.engine.types import PLAYER
    from hive.experiments.commanders.chat import chat_text
    from hive.experiments.commanders.kept import Folder, KeptGame, stem_of
    from hive.experiments.commanders.playing import play_commanded, replay_commanded

    if isinstance(commander, Folder) and (old := commander.game(trial.name, seed)):
        return _Played(old, *replay_commanded(trial.world, old.plans, seed), {})
    game = kept.find(number) if kept else None
    if game is None:
        game = play_commanded(trial.world, commander, None, seed, terms)
        _check_replies(commander, game)
        if kept:
            kept.add(number, game)
    text = chat_text(game, (commander.name, "")) if game.chat else ""
    chat = {f"{stem_of(trial.name)}/{seed}/chat.md": text} if text else {}
    return _Played(KeptGame(tuple(game.plans), game.accounts[PLAYER]), game.outcome, game.ticks, chat)


def _check_replies(commander: Commander, game: CommandedGame) -> None:
    """Refuse a game in which a model was asked and no request brought a reply; others would come to the same.

    Raises:
        UserError: It is one.
    """
    asked = [said.order for said in game.chat if said.outcome != "spent"]
    if asked and all(order.kind == "no_reply" for order in asked):
        raise UserError(f"{commander.name} did not reply in a complete game: {asked[0].problem}")


COMMAND = Command(
    settings=StudySet,
    run=_run,
    repeats=True,
    about="""\
Compare commanders on a set of drawn battles. Each commander writes one plan for each battle before its first
tick, and its plans play the same seeds as those of the others. With --command it is asked for new orders
during each game: every N ticks, and at events. The table has the share of games won by level and in all,
with an interval over battles, beside what the orders cost; a second one compares the commanders battle by
battle. Commanders (`hive arena duel` has no search-N, plans:DIR and policy:RUN):

  stand, hold              units stay where they are; with hold they fight what comes into their reach
  attack, default          all attack; the battle's own plan (docs/rules/sets.md 2.1)
  words, words:ORDER       the plain commander, which reads an order that says the mission, or another one
  search-N                 a search of at most N plans (32 or more), which plays seeds of its own
  plan:FILE                one plan, which has to fit all battles
  plans:DIR                plans that exist: DIR/CLASS-SEED.plan for each battle
  policy:RUN               the policy of a training run, which acts for every unit; without --command
  NAME@URL, --model NAME   a language model, which gets the compact text of each battle

`hive verify DIR` plays all games of a study again.""",
    examples=(
        "hive study --set battles-v1/duels                                  four commanders without a search",
        "hive study --set battles-v1/duels --by default --by search-64 --out runs/searched",
        "hive study --set my.toml --model MODEL --base-url http://127.0.0.1:8080/v1 --by words --out runs/study",
        "hive study --set my.toml --command --by words --by default --at sighted --at step --every 100",
        "hive study --set my.toml --command --by MODEL@http://127.0.0.1:8080/v1 --calls 5 --out runs/commanded",
    ),
    notes="""\
With --out a folder is written atomically: config.json, study.json, games.csv, table.md, scores.png, set.toml,
and the plans of each commander with what they cost, in plans/COMMANDER; with a model also exchanges.jsonl. A
commander without a plan for a battle loses its games; with --command its units hold their place. Replies of
models, plans and commanded games are saved meanwhile, and the same command resumes without asking twice.""",
)
