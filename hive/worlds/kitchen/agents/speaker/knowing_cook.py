"""The cook that has the recipe: what it does next, and what it asks of its mate, from what it sees alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from hive.worlds.kitchen.agents.speaker.scene import PromptFacts, RecipeStep
from hive.worlds.kitchen.agents.views import IN_A_DISH, UtensilView

_DISH = "dish"
_PLACE = "place_obj_on_counter()"
_WAIT = "wait(1)"


@dataclass(frozen=True)
class KnowingCook:
    """Decisions of the cook that has the recipe.

    Attributes:
        scene: What it was told.
    """

    scene: PromptFacts

    @cached_property
    def _tools(self) -> dict[str, UtensilView]:
        return {tool.name: tool for tool in self.scene.view.tools}

    @cached_property
    def _mine(self) -> list[RecipeStep]:
        """The steps of its own utensils."""
        tools = self.scene.view.operations(self.scene.me)
        return [step for step in self.scene.steps if step.tool in tools]

    @cached_property
    def _hands(self) -> dict[str, str]:
        return dict(self.scene.view.hands)

    @cached_property
    def _counters(self) -> list[str]:
        view = self.scene.view
        return [item for item in (*view.shared, *view.own) if item]

    def plan(self) -> list[str]:
        """Return its next actions."""
        hand = self._hands[self.scene.me]
        return self._with(hand) if hand else self._empty_handed()

    def requests(self) -> tuple[list[str], list[str]]:
        """Return actions to ask of a mate that has nothing to do, and the items that they bring."""
        scene = self.scene
        if scene.doing[scene.mate] or scene.queues[scene.mate]:
            return [], []
        held = self._hands[scene.mate]
        actions, items, later = [_PLACE] if held else [], [held] if held else [], False
        for step in self._mine:
            for item in step.inputs:
                if self._made(item) in self._mine or self._exists(item) or self._spent(step):
                    continue
                chain = self._chain(item)
                later |= chain is None
                if chain is not None:
                    actions += [*chain, _PLACE]
                    items.append(item)
        if scene.in_dish and not later and not self._exists(_DISH) and not self._served():
            actions += [f"pickup({_DISH}, dish_dispenser)", _PLACE]
            items.append(_DISH)
        return actions, items

    def _with(self, hand: str) -> list[str]:
        """Return what to do with what it holds."""
        order, final = self.scene.view.order, self.scene.steps[-1]
        if hand == order + IN_A_DISH * self.scene.in_dish:
            return ["deliver()"]
        if hand == _DISH and self._tools[final.tool].product == order:
            return [f"fill_dish_with_food({final.tool})", "deliver()"]
        consumer = next((step for step in self._mine if hand in step.inputs and self._fits(step, hand)), None)
        return self._put(consumer) if consumer else [_PLACE]

    def _empty_handed(self) -> list[str]:
        """Return the first thing to do in the order of the recipe."""
        for step in self._mine:
            tool = self._tools[step.tool]
            if tool.product == step.product:
                found = self._taken(step, tool)
                if found:
                    return found
            elif sorted(tool.contents) == sorted(step.inputs):
                return [f"{step.operation}({step.tool})"]
        for step in self._mine:
            for item in step.inputs:
                if item in self._counters and self._fits(step, item):
                    return [f"pickup({item}, counter)", *self._put(step, item)]
        return [_WAIT]

    def _taken(self, step: RecipeStep, tool: UtensilView) -> list[str]:
        """Return how a product gets out of a utensil, nothing if it has to stay there for now."""
        product = step.product
        if product == self.scene.view.order and self.scene.in_dish:
            if _DISH not in self._counters:
                return []
            return [f"pickup({_DISH}, counter)", f"fill_dish_with_food({step.tool})", "deliver()"]
        if tool.left:
            return []
        if product == self.scene.view.order:
            return [f"pickup({product}, {step.tool})", "deliver()"]
        consumer = next((each for each in self._mine if product in each.inputs), None)
        if consumer is None:
            return [f"pickup({product}, {step.tool})", _PLACE] if "" in self.scene.view.shared else []
        if self._fits(consumer, product):
            return [f"pickup({product}, {step.tool})", *self._put(consumer, product)]
        return []

    def _put(self, step: RecipeStep, item: str = "") -> list[str]:
        """Return how the item in the hand gets into a utensil, and start the utensil if it is the last one."""
        item = item or self._hands[self.scene.me]
        complete = sorted((*self._tools[step.tool].contents, item)) == sorted(step.inputs)
        return [f"put_obj_in_utensil({step.tool})", *([f"{step.operation}({step.tool})"] if complete else [])]

    def _fits(self, step: RecipeStep, item: str) -> bool:
        """Return whether an item still has to go into the utensil of a step, and can."""
        tool = self._tools[step.tool]
        rest = list(step.inputs)
        for each in tool.contents:
            if each not in rest:
                return False
            rest.remove(each)
        return not tool.product and item in rest

    def _made(self, item: str) -> RecipeStep | None:
        """Return the step that makes an item, None for a raw one."""
        return next((step for step in self.scene.steps if step.product == item), None)

    def _exists(self, item: str) -> bool:
        """Return whether an item is somewhere in the kitchen."""
        inside = (each for tool in self._tools.values() for each in (*tool.contents, tool.product))
        return item in self._counters or item in self._hands.values() or item in inside

    def _spent(self, step: RecipeStep) -> bool:
        """Return whether a step's product, or one that is made of it, exists."""
        if self._exists(step.product) or self._served():
            return True
        return any(self._spent(each) for each in self.scene.steps if step.product in each.inputs)

    def _served(self) -> bool:
        return self._hands[self.scene.me] == self.scene.view.order + IN_A_DISH * self.scene.in_dish

    def _chain(self, item: str) -> list[str] | None:
        """Return the mate's actions until it holds an item; None if something of this cook is needed first."""
        if item in self._counters:
            return [f"pickup({item}, counter)"]
        step = self._made(item)
        if step is None:
            return [f"pickup({item}, ingredient_dispenser)"]
        if step in self._mine:
            return None
        actions = []
        for each in step.inputs:
            if each not in self._tools[step.tool].contents:
                chain = self._chain(each)
                if chain is None:
                    return None
                actions += [*chain, f"put_obj_in_utensil({step.tool})"]
        return [*actions, f"{step.operation}({step.tool})", f"pickup({item}, {step.tool})"]
