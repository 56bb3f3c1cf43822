"""The enemy's commander: families of plans with parameters, each with what may be said about it.

A family places the enemy's posts on the map and writes their plan. What it tells, it tells of the numbers that stand in
the plan. Rules: docs/rules/drawn.md 5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from dsl.wording import number_words
from hive.worlds.battle.drawn.armies import Army, Post, by_type, grown, shared_out, station
from hive.worlds.battle.drawn.dice import Dice
from hive.worlds.battle.drawn.land import Area, Land
from hive.worlds.battle.drawn.missions import KEPT, WALKED, Kind, Mission
from hive.worlds.battle.drawn.plan_writer import ELIMINATION, PlanWriter, spot
from hive.worlds.battle.drawn.sketch import Point

_STAY = 10  # metres that units stray from a post while they wait
_UNSEEN = 18  # metres between the start boxes of both sides, at least

Told = tuple[PlanWriter, str, str]
"""What a family comes to: its orders, then what a `Commander` says of them in `orders` and `hint`."""


@dataclass(frozen=True)
class Commander:
    """The enemy's commander.

    Attributes:
        family: The family of its plan.
        army: The enemy's army.
        plan: Its plan as text.
        orders: What the plan does, as sentences with its numbers.
        hint: The same as one sentence that gives away little.
    """

    family: str
    army: Army
    plan: str
    orders: str
    hint: str


@dataclass(frozen=True)
class Setting:
    """What a family knows of a battle.

    Attributes:
        dice: Draws its parameters.
        land: The map.
        mission: The player's mission; of a mission that the player wins by time, its end is not known yet.
        player: The player's army.
        counts: The enemy's units by type.
        limit: Ticks until the battle times out.
        posts: The enemy's posts so far.
    """

    dice: Dice
    land: Land
    mission: Mission
    player: Army
    counts: Mapping[str, int]
    limit: int
    posts: list[Post] = field(default_factory=list)

    @property
    def base(self) -> Point:
        """Where the player starts."""
        return self.player.posts[0].place

    @property
    def goal(self) -> Point:
        """Where the player has to go, else where it starts."""
        return self.mission.places[0] if self.mission.kind in WALKED else self.base

    def aim(self, number: int) -> Point:
        """Return where a post attacks: a place that the player holds, else where the player starts."""
        held = self.mission.places if self.mission.kind == "hold" else ()
        return held[number % len(held)] if held else self.base

    @property
    def aims(self) -> str:
        """Where all posts attack, in words."""
        if self.mission.kind != "hold":
            return "the place where your army starts"
        return "the place that you hold" if len(self.mission.places) == 1 else "the places that you hold"

    def station(self, within: Area, counts: Mapping[str, int], *, line: bool = False, forest: bool = False) -> Post:
        """Return a post in a part of the map, apart from other posts and out of the player's sight.

        Raises:
            NoRoomError: There is no place for it.
        """
        own = [grown(post.area, 2) for post in self.posts]
        foes = [grown(post.area, _UNSEEN + self.land.size // 40) for post in self.player.posts]
        post = station(self.dice, self.land, within, counts, [*own, *foes], line=line, forest=forest)
        self.posts.append(post)
        return post

    def most_posts(self, wanted: int) -> int:
        """Return how many posts the army is enough for, at most as many as wanted."""
        return max(2, min(wanted, max(self.counts.values()) // 3))

    def flank(self, side: int, v: int) -> Point:
        """Return a place on open ground near the western (-1) or eastern (1) edge of the sketch."""
        return self.land.spot(10 if side < 0 else 90, v)


def families(kind: Kind) -> dict[str, int]:
    """Return the families that suit a mission, with their weights."""
    if kind in KEPT:
        return {"sweep": 5, "pincer": 5, "feint": 4, "counter-attack": 4, "reaction": 4}
    return {
        "sweep": 3,
        "hold": 4,
        "patrol": 4,
        "ambush": 5,
        "pincer": 3,
        "feint": 3,
        "counter-attack": 4,
        "reaction": 4,
    }


def command(family: str, setting: Setting) -> Commander:
    """Return the commander of a family.

    Raises:
        NoRoomError: The map has no room for its posts.
    """
    orders, told, hint = _FAMILIES[family](setting)
    return Commander(family, orders.army, orders.text(), told, hint)


def _sweep(setting: Setting) -> Told:
    dice, land = setting.dice, setting.land
    lanes = setting.most_posts(dice.between(2, 3 + land.size // 150))
    shares = shared_out(setting.counts, [1] * lanes)
    width = 84 // lanes
    posts = [
        setting.station(land.box(8 + width * lane, 62, 8 + width * (lane + 1), 96), share, line=True)
        for lane, share in enumerate(shares)
    ]
    orders, behind, delay = PlanWriter(Army(tuple(posts))), dice.pick((None, 6, 8)), dice.pick((0, 0, 40, 80, 120))
    waits: list[int] = []
    if delay:
        groups = [line for post in posts for line in orders.fight([post], spot(post.place), _STAY)]
        waits = [orders.step(f"time {delay}", groups)]
    for lane, post in enumerate(posts):
        last = waits
        for v in (48, 14):
            here = spot(land.spot(8 + width * lane + width // 2, v))
            last = [orders.step("arrival 60%", orders.fight([post], here, behind=behind), last)]
        orders.step(ELIMINATION, orders.fight([post], spot(setting.aim(lane))), last)
    begins = f"after {delay} ticks" if delay else "at once"
    return (
        orders,
        f"They set out {begins} and sweep the map in {number_words(lanes)} columns side by side, through the middle of "
        f"the map and on to your edge of it; then they turn to {setting.aims}.",
        "They are on the march and will not wait for you.",
    )


def _hold(setting: Setting) -> Told:
    dice, land = setting.dice, setting.land
    count = setting.most_posts(dice.between(2, 3 + land.size // 200))
    posts = _posts(setting, count, (8, 48, 92, 95))
    orders, leash = PlanWriter(Army(tuple(posts))), dice.pick((8, 12, 16, 24))
    orders.step(ELIMINATION, [line for post in posts for line in orders.fight([post], spot(post.place), leash)])
    return (
        orders,
        f"They stay at their posts, attack what they see, and pursue nobody farther than {leash} m from a post.",
        "They have been told to hold their ground.",
    )


def _patrol(setting: Setting) -> Told:
    dice, land = setting.dice, setting.land
    count = setting.most_posts(dice.between(2, 3))
    posts = _posts(setting, count, (8, 45, 92, 95))
    orders, reach, legs = PlanWriter(Army(tuple(posts))), land.size // dice.between(4, 6), dice.between(4, 6)
    for post in posts:
        x, y = post.place
        last = land.size - 1
        around = max(x - reach, 2), max(y - reach, 2), min(x + reach, last - 2), min(y + reach, last - 2)
        round_ = [land.place(dice, around, 1) for _ in range(dice.between(2, 3))]
        steps: list[int] = []
        for leg in range(legs):
            here = [*round_, post.place][leg % (len(round_) + 1)]
            steps = [orders.step("arrival 60%", orders.fight([post], spot(here)), steps)]
        orders.step(ELIMINATION, orders.fight([post], spot(post.place)), steps)
    return (
        orders,
        f"Each group is on patrol near its post, up to {reach} m to each side of it: it walks {number_words(legs)} "
        "legs from place to place, then stays at its post. It attacks whatever it sees on its way.",
        "They do not stay where they are: patrols have been seen.",
    )


def _ambush(setting: Setting) -> Told:
    dice, land = setting.dice, setting.land
    hidden = setting.most_posts(dice.between(1, 2) + 1) - 1
    shares = shared_out(setting.counts, [2, *[4 - hidden] * hidden])
    bait = setting.station(land.box(12, 42, 88, 80), shares[0])
    posts = [bait, *(setting.station(land.box(0, 34, 100, 100), share, forest=True) for share in shares[1:])]
    orders, delay = PlanWriter(Army(tuple(posts))), dice.between(1, 4) * 10
    late = setting.limit * dice.between(4, 6) // 1000 * 100
    stay, place = orders.fight([bait], spot(bait.place), _STAY), spot(bait.place)
    timed = orders.step(f"time {late}", stay)
    seen = orders.step("sighted", stay)
    sprung = orders.step(f"time {delay}", stay, [seen])
    orders.step(ELIMINATION, orders.fight(posts, place), [sprung])
    orders.step(ELIMINATION, orders.fight(posts, spot(setting.aim(0))), [timed])
    return (
        orders,
        f"The group in the open at {bait.place} is a bait. {delay} ticks after it has seen one of your units, those in "
        f"the woods come out and attack there. After {late} ticks all of them attack {setting.aims} in any case.",
        "Those that stand in the open look as if they wanted to be seen.",
    )


def _pincer(setting: Setting) -> Told:
    dice, land = setting.dice, setting.land
    shares = shared_out(setting.counts, dice.pick(((2, 1, 1), (1, 1, 1), (1, 2, 2))))
    areas = (30, 58, 70, 94), (3, 50, 30, 94), (70, 50, 97, 94)
    posts = [setting.station(land.box(*area), share) for area, share in zip(areas, shares, strict=True)]
    centre, wings = posts[0], posts[1:]
    orders = PlanWriter(Army(tuple(posts)))
    kept = setting.mission.kind in KEPT
    trigger = dice.pick(("", "time", "time") if kept else ("", "sighted", "time"))
    after: list[int] = []
    objective = ELIMINATION
    begins = "They set out at once"
    if trigger:
        late = dice.between(6, 20) * 10
        objective = f"time {late}" if trigger == "time" else "sighted"
        begins = f"After {late} ticks they set out" if trigger == "time" else "When the centre sees you, they set out"
        waiting = orders.fight([centre], spot(centre.place), _STAY)
        others = [line for wing in wings for line in orders.fight([wing], spot(wing.place), _STAY)]
        if trigger == "sighted":
            orders.step(ELIMINATION, others)
            after = [orders.step(objective, waiting)]
        else:
            after = [orders.step(objective, [*waiting, *others])]
    for side, wing in zip((-1, 1), wings, strict=True):
        flank = setting.flank(side, 30)
        orders.step(ELIMINATION, orders.fight([wing], spot(setting.aim((side + 1) // 2), [flank])), after)
    orders.step(ELIMINATION, orders.fight([centre], spot(setting.aim(2))), after)
    return (
        orders,
        f"{begins}: two wings go round along both edges of the map while the centre comes straight on, and all meet at "
        f"{setting.aims}.",
        "They stand in three groups, and the outer ones look to their flanks.",
    )


def _feint(setting: Setting) -> Told:
    dice, land = setting.dice, setting.land
    shares = shared_out(setting.counts, dice.pick(((1, 3), (1, 2), (2, 3))))
    side = dice.pick((-1, 1))
    left, right = (8, 52, 46, 80), (54, 62, 92, 95)
    if side > 0:
        left, right = (54, 52, 92, 80), (8, 62, 46, 95)
    lure, main = (setting.station(land.box(*area), share) for area, share in zip((left, right), shares, strict=True))
    orders = PlanWriter(Army((lure, main)))
    late, back = dice.between(12, 30) * 10, dice.between(2, 6) * 10
    show = setting.flank(side, 34)
    timed = orders.step(f"time {late}", orders.fight([main], spot(main.place), _STAY))
    seen = orders.step("sighted", orders.fight([lure], spot(show)))
    home = orders.step(f"time {back}", orders.march([lure], spot(lure.place)), [seen])
    orders.step(ELIMINATION, orders.fight([lure], spot(lure.place), 12), [home])
    blow = orders.fight([main], spot(setting.aim(0), [setting.flank(-side, 40)]))
    orders.step(ELIMINATION, blow, [seen])
    orders.step(ELIMINATION, orders.fight([lure, main], spot(setting.aim(0))), [timed])
    return (
        orders,
        f"The group at {lure.place} is to draw you away: it advances until it sees you, then withdraws for {back} "
        "ticks. That is the sign for the main body to go round by the other side and to attack "
        f"{setting.aims}. After {late} ticks both attack in any case.",
        "One of their two groups may be there only to draw you away.",
    )


def _counter(setting: Setting) -> Told:
    dice, land = setting.dice, setting.land
    kept = setting.mission.kind in KEPT
    fronts = setting.most_posts(dice.between(2, 3)) - 1
    shares = shared_out(setting.counts, [*[6 // fronts] * fronts, dice.between(3, 7)])
    posts = [setting.station(land.box(10, 46, 90, 72), share, line=not kept) for share in shares[:-1]]
    reserve = setting.station(land.box(12, 74, 88, 97), shares[-1])
    percent, leash = 5 * dice.between(4, 10), dice.pick((10, 16, 22))
    late = dice.between(15, 35) * 10 if kept else setting.limit * dice.between(3, 5) // 1000 * 100
    orders = PlanWriter(Army((*posts, reserve)))
    timed = orders.step(f"time {late}", orders.fight([reserve], spot(reserve.place), _STAY))
    orders.step(ELIMINATION, orders.fight([reserve], spot(posts[0].place if not kept else setting.aim(1))), [timed])
    if kept:
        first = [line for number, post in enumerate(posts) for line in orders.fight([post], spot(setting.aim(number)))]
    else:
        first = [line for post in posts for line in orders.fight([post], spot(post.place), leash)]
    lost = orders.step(f"losses {percent}%", first)
    orders.step(ELIMINATION, orders.fight([*posts, reserve], spot(setting.aim(0))), [lost])
    begins = (
        f"Those in front attack {setting.aims} at once"
        if kept
        else f"Those in front stay within {leash} m of their posts"
    )
    return (
        orders,
        f"{begins}; a reserve waits at {reserve.place}. When {percent}% of those in front are dead, all that are left "
        f"and the reserve attack {setting.aims}. After {late} ticks the reserve joins them in any case.",
        "They keep a reserve behind their front.",
    )


def _reaction(setting: Setting) -> Told:
    dice, land = setting.dice, setting.land
    kept = setting.mission.kind in KEPT
    posts = _posts(setting, dice.between(1, 2), (10, 54, 90, 94))
    percent = 5 * dice.between(4, 9)
    guarded = setting.mission.kind in WALKED
    rally = setting.mission.places[0] if guarded else land.place(dice, land.box(10, 66, 90, 96), 2)
    orders = PlanWriter(Army(tuple(posts)))
    wait = [line for post in posts for line in orders.fight([post], spot(post.place), _STAY)]
    charge = [line for number, post in enumerate(posts) for line in orders.fight([post], spot(setting.aim(number)))]
    back = orders.march(posts, spot(rally))
    if kept:
        delay, rest = dice.pick((20, 50, 80, 120)), dice.between(4, 10) * 10
        begun = orders.step(f"time {delay}", wait)
        lost = orders.step(f"losses {percent}%", charge, [begun])
        there = orders.step("arrival 50%", back, [lost])
        rested = orders.step(f"time {rest}", orders.fight(posts, spot(rally), _STAY), [there])
        orders.step(ELIMINATION, charge, [rested])
        told = (
            f"After {delay} ticks they attack {setting.aims}. When {percent}% of them are dead, the others fall back "
            f"to {rally}, rest there for {rest} ticks, and attack again."
        )
    else:
        pursued = 5 * dice.between(4, 10)
        losing = orders.step(f"enemy losses {pursued}%", wait)
        seen = orders.step("sighted", wait)
        lost = orders.step(f"losses {percent}%", charge, [seen])
        there = orders.step("arrival 50%", back, [lost])
        orders.step(ELIMINATION, orders.fight(posts, spot(rally), _STAY), [there])
        orders.step(ELIMINATION, charge, [losing])
        told = (
            f"They wait until they see you, then attack {setting.aims}. When {percent}% of them are dead, the others "
            f"fall back to {rally} and defend it. When {pursued}% of your units are dead, all that are left attack."
        )
    return orders, told, "Their commander is said to change plans as things go."


_FAMILIES: Mapping[str, Callable[[Setting], Told]] = {
    "sweep": _sweep,
    "hold": _hold,
    "patrol": _patrol,
    "ambush": _ambush,
    "pincer": _pincer,
    "feint": _feint,
    "counter-attack": _counter,
    "reaction": _reaction,
}


def _posts(setting: Setting, count: int, within: tuple[int, int, int, int]) -> list[Post]:
    """Return some posts; where the player has to go to a place, the first one is at it."""
    dice, land, counts = setting.dice, setting.land, setting.counts
    apart = 1 < len(counts) <= count and dice.chance(30)
    shares = by_type(counts, count) if apart else shared_out(counts, [dice.between(2, 4) for _ in range(count)])
    posts = []
    for number, share in enumerate(shares):
        area = land.box(*within)
        if number == 0 and setting.mission.kind in WALKED:
            (x, y), reach, last = setting.goal, land.size // 7, land.size - 1
            area = max(x - reach, 0), max(y - reach, 0), min(x + reach, last), min(y + reach, last)
        posts.append(setting.station(area, share))
    return posts
