"""Words of a small kitchen, for tests that need no world."""

from hive.worlds.kitchen.action import KitchenWords

WORDS = KitchenWords(
    ingredients=("apple", "egg", "sweet_potato", "tofu", "beef", "peanut"),
    products=("boiled_egg", "beef_slices", "mashed_peanut", "stew"),
    dish="dish",
    utensils={"pot0": "cook", "oven0": "bake", "chopping_board0": "cut", "blender0": "stir"},
)
