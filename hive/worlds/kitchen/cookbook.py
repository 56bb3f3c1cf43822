"""What exists in a kitchen, as data: ingredients, utensils, recipes and orders (docs/rules/kitchen.md 3)."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from dsl.wording import did_you_mean, nearest
from hive.kit.graphs import reached
from hive.kit.keep.reading import Reader, Record, read_text
from hive.worlds.kitchen.reading import shipped

UTENSIL_CAPACITY = 3
"""Items that a utensil holds before it is started (docs/rules/kitchen.md 3.2)."""

NO_ITEM = 0
"""Code of an empty hand, counter or place in a utensil."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_RESERVED = ("counter", "ingredient_dispenser", "dish_dispenser")


@dataclass(frozen=True)
class Recipe:
    """How a product is made."""

    product: str
    utensil: str  # type of utensil
    inputs: tuple[str, ...]  # an exact multiset, sorted


@dataclass(frozen=True)
class Utensil:
    """A type of utensil."""

    name: str
    letter: str  # on maps
    operation: str
    timesteps: int  # from the start until the product is ready


@dataclass(frozen=True)
class Cookbook:
    """Everything that can be made.

    Items have codes: 0 is nothing, then the ingredients, then the products in the order of the file, then the empty
    dish, then a dish filled with each product.

    Attributes:
        source: Name of the file.
        ingredients: Raw items of the ingredient dispenser.
        dish: Name of the empty dish.
        utensils: Types of utensils.
        recipes: One for each product.
        with_dish: Products that may be ordered and are delivered in a dish.
        without_dish: Items that may be ordered and are delivered without one.
    """

    source: str
    ingredients: tuple[str, ...]
    dish: str
    utensils: tuple[Utensil, ...]
    recipes: tuple[Recipe, ...]
    with_dish: tuple[str, ...]
    without_dish: tuple[str, ...]

    @cached_property
    def items(self) -> tuple[str, ...]:
        """Names of the codes from 1 to the empty dish: ingredients, products, dish."""
        return (*self.ingredients, *(recipe.product for recipe in self.recipes), self.dish)

    @cached_property
    def code(self) -> dict[str, int]:
        """Codes of the items by their names."""
        return {name: number for number, name in enumerate(self.items, start=1)}

    @property
    def dish_code(self) -> int:
        """Code of the empty dish; higher codes are filled dishes."""
        return len(self.items)

    @property
    def codes(self) -> int:
        """Number of codes, nothing and filled dishes included."""
        return len(self.items) + 1 + len(self.recipes)

    def plated(self, product: str) -> int:
        """Code of a dish filled with a product."""
        return self.code[product] - len(self.ingredients) + self.dish_code

    def plain(self, code: int) -> int:
        """Code of what a dish is filled with; the code itself for everything else."""
        return code - self.dish_code + len(self.ingredients) if code > self.dish_code else code

    def name(self, code: int) -> str:
        """Name of a code; a filled dish has the name of its food, 0 an empty name."""
        return self.items[self.plain(code) - 1] if code else ""

    @cached_property
    def recipe(self) -> dict[str, Recipe]:
        """Recipes by their products."""
        return {recipe.product: recipe for recipe in self.recipes}

    @cached_property
    def utensil(self) -> dict[str, Utensil]:
        """Types of utensils by their names."""
        return {utensil.name: utensil for utensil in self.utensils}

    @property
    def orders(self) -> tuple[str, ...]:
        """Names of everything that may be ordered."""
        return self.with_dish + self.without_dish

    def needs_dish(self, name: str) -> bool:
        """Whether an item leaves its utensil, and is delivered, only in a dish."""
        return name in self.with_dish

    def steps(self, order: str) -> tuple[Recipe, ...]:
        """Recipes that an order needs, each after those of its inputs, each once."""
        found: dict[str, Recipe] = {}

        def visit(name: str) -> None:
            if name in self.recipe and name not in found:
                for each in self.recipe[name].inputs:
                    visit(each)
                found[name] = self.recipe[name]

        visit(order)
        return tuple(found.values())

    def ingredients_of(self, name: str) -> Counter[str]:
        """Raw ingredients that an item is made of, with their numbers."""
        if name not in self.recipe:
            return Counter({name: 1})
        return sum((self.ingredients_of(each) for each in self.recipe[name].inputs), Counter())


class UtensilTable(Record, frozen=True):
    """A type of utensil in its file, with the inputs of each product."""

    letter: str
    operation: str
    timesteps: Annotated[int, Meta(ge=1, le=1_000)]
    recipes: dict[str, tuple[str, ...]]


class OrdersTable(Record, frozen=True):
    """What may be ordered."""

    with_dish: tuple[str, ...] = ()
    without_dish: tuple[str, ...] = ()


class CookbookFile(Record, frozen=True, kw_only=True):
    """A file of a cookbook."""

    dish: str = "dish"
    ingredients: tuple[str, ...]
    utensils: dict[str, UtensilTable]
    orders: OrdersTable


def read_cookbook(text: str, source: str = "cookbook") -> Cookbook:
    """Read a cookbook from TOML.

    Args:
        text: Content of the file.
        source: Its name, for messages.

    Raises:
        ScenarioError: Something in it cannot be used; all problems are listed with their places.
    """
    reader = Reader("kitchen", source, text)
    file = reader.table(CookbookFile)
    book = Cookbook(
        source=source,
        ingredients=file.ingredients,
        dish=file.dish,
        utensils=tuple(
            Utensil(name, each.letter, each.operation, each.timesteps) for name, each in file.utensils.items()
        ),
        recipes=tuple(
            Recipe(product, name, tuple(sorted(inputs)))
            for name, each in file.utensils.items()
            for product, inputs in each.recipes.items()
        ),
        with_dish=file.orders.with_dish,
        without_dish=file.orders.without_dish,
    )
    _check(reader, book)
    reader.finish()
    return book


@cache
def cookbook(path: Path | None = None) -> Cookbook:
    """Return the shipped cookbook, or that of a file.

    Raises:
        ScenarioError: The file cannot be used.
    """
    if path is None:
        return read_cookbook(shipped("cookbook.toml"))
    return read_cookbook(read_text(path, "kitchen-file"), str(path))


def _check(reader: Reader, book: Cookbook) -> None:
    _check_names(reader, book)
    known = {*book.ingredients, *book.recipe}
    made: dict[tuple[str, tuple[str, ...]], str] = {}
    for recipe in book.recipes:
        place = f"utensils.{recipe.utensil}.recipes.{recipe.product}"
        if not 1 <= len(recipe.inputs) <= UTENSIL_CAPACITY:
            reader.add("inputs", f"a recipe takes 1 to {UTENSIL_CAPACITY} items, this one {len(recipe.inputs)}", place)
        for each in recipe.inputs:
            if each not in known:
                hint = did_you_mean(nearest(each, known))
                reader.add("unknown-item", f"nothing makes or supplies `{each}`", place, hint)
        other = made.setdefault((recipe.utensil, recipe.inputs), recipe.product)
        if other != recipe.product:
            reader.add("same-inputs", f"`{other}` is made of the same items in the same utensil", place)
    for key in ("with_dish", "without_dish"):
        for number, name in enumerate(getattr(book, key)):
            place = f"orders.{key}[{number}]"
            if name not in known:
                hint = did_you_mean(nearest(name, known))
                reader.add("unknown-item", f"no utensil makes `{name}`", place, hint)
            elif key == "with_dish" and name not in book.recipe:
                reader.add("dish", f"`{name}` leaves no utensil, so no dish can be filled with it", place)
            elif book.orders.count(name) > 1:
                reader.add("twice", f"the order `{name}` is listed twice", place)
    for cycle in _cycles(book):
        reader.add("cycle", f"`{cycle}` is needed to make itself", f"utensils.{book.recipe[cycle].utensil}")


def _check_names(reader: Reader, book: Cookbook) -> None:
    names = [*book.items, *book.utensil]
    for name, count in Counter(names).items():
        if count > 1:
            reader.add("twice", f"the name `{name}` stands for {count} things; each product has one recipe", name)
        if not _NAME.fullmatch(name) or name in _RESERVED:
            reader.add("name", f"`{name}` cannot be a name", name, "use lower case letters, digits and `_`")
    for key in ("letter", "operation"):
        for value, count in Counter(getattr(utensil, key) for utensil in book.utensils).items():
            if count > 1:
                reader.add("twice", f"{count} utensils have the {key} `{value}`", "utensils")
    for utensil in book.utensils:
        if len(utensil.letter) != 1 or not utensil.letter.isupper() or utensil.letter in "XIDS":
            message = f"`{utensil.letter}` cannot be the letter of a utensil"
            help = "use one capital letter other than X, I, D and S"
            reader.add("letter", message, f"utensils.{utensil.name}.letter", help)


def _cycles(book: Cookbook) -> list[str]:
    """Products that are needed to make themselves."""

    def inputs(product: str) -> list[str]:
        return [each for each in book.recipe[product].inputs if each in book.recipe]

    return [product for product in book.recipe if product in reached(inputs(product), inputs)]
