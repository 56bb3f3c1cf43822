"""A floor plan in pixels: where a place is, what never changes, and where objects lie around furniture."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from hive.kit.view.lettering import font
from hive.kit.view.palette import INK, PAGE, mix
from hive.worlds.household.apartment import Apartment, Point, Receptacle
from hive.worlds.household.view import palette
from hive.worlds.household.view.arranging import arrange, box_around, covers
from hive.worlds.household.view.stacking import DrawnBox, next_to, on_top

MARGIN = 0.5  # metres around all rooms
SMALLEST = 0.55  # metres of a side of furniture, so that it can be seen
ITEM = 0.52  # metres of the side of an object's picture
DOOR = 0.9  # metres that a door is wide
_STRIP = 0.44  # metres at the top of large furniture for its letters
_SPARE = 40  # places next to furniture of which the free ones are taken
_LETTERS = (0.5, 0.4, 0.32, 0.26)  # metres of the height of letters in the name of a room, by preference
_WALL = 0.12  # metres of the thickness of a wall
SHORT_NAMES = {
    "bathroomcabinet": "BC",
    "kitchencabinet": "KC",
    "cabinet": "C",
    "fridge": "F",
    "stove": "S",
    "dishwasher": "D",
    "microwave": "M",
    "kitchentable": "KT",
    "coffeetable": "CT",
    "bench": "B",
    "desk": "DE",
    "sofa": "SO",
    "nightstand": "NS",
    "counter": "CO",
    "chair": "CH",
    "table": "TA",
    "bed": "BE",
}
"""Letters on furniture."""


def is_large(each: Receptacle) -> bool:
    """Return whether objects are drawn on a piece of furniture, and not next to it."""
    return each.size[0] >= 1.0 and each.size[1] >= 1.0


class Floor:
    """An apartment on a picture.

    Attributes:
        apartment: The apartment.
        scale: Pixels per metre.
        size: Width and height in pixels.
    """

    def __init__(self, apartment: Apartment, width: int, height: int | None = None) -> None:
        """Choose the scale.

        Args:
            apartment: What is drawn.
            width: Pixels of the width, at most.
            height: Pixels of the height, at most; None: as many as the width needs.
        """
        self.apartment = apartment
        boxes = [(room.centre, room.size) for room in apartment.rooms]
        west, south = (min(at[axis] - size[axis] / 2 for at, size in boxes) - MARGIN for axis in range(2))
        east, north = (max(at[axis] + size[axis] / 2 for at, size in boxes) + MARGIN for axis in range(2))
        self._west, self._north = west, north
        self._furniture = arrange(apartment, SMALLEST, _WALL)
        names = (each.name for each in apartment.receptacles)
        self._boxes = dict(zip(names, self._furniture.tolist(), strict=True))
        self.metres = (east - west, north - south)
        self.scale = width / self.metres[0]
        if height is not None:
            self.scale = min(self.scale, height / self.metres[1])
        self.size = (round(self.metres[0] * self.scale), round(self.metres[1] * self.scale))

    def at(self, point: Point) -> Point:
        """Return the pixel of a place in metres; y grows upwards in metres and downwards in pixels."""
        return (point[0] - self._west) * self.scale, (self._north - point[1]) * self.scale

    def map(self, point: Point) -> Point:
        """Return a place in metres from the north-west corner of the picture, y downwards."""
        x, y = self.at(point)
        return x / self.scale, y / self.scale

    def box(self, each: Receptacle) -> tuple[float, float, float, float]:
        """Return the pixels of a piece of furniture."""
        west, south, east, north = self._boxes[each.name]
        return *self.at((west, north)), *self.at((east, south))

    def draw(self) -> Image.Image:
        """Return the plan without furniture, objects and agents."""
        image = Image.new("RGB", self.size, PAGE)
        draw = ImageDraw.Draw(image)
        wall = max(2, round(_WALL * self.scale))
        for room in self.apartment.rooms:
            x, y = self.at(room.centre)
            half = [side * self.scale / 2 for side in room.size]
            box = x - half[0], y - half[1], x + half[0], y + half[1]
            draw.rectangle(box, palette.FLOORS.get(room.kind, palette.FLOOR), palette.WALL, wall)
        for door in self.apartment.doors:
            self._door(draw, door.rooms, door.at, wall)
        for number, room in enumerate(self.apartment.rooms):
            at, letters = self.label(number)
            draw.text(at, room.name, mix(INK, (255, 255, 255), 0.45), letters, "mm")
        return image

    def letters(self, each: Receptacle) -> Point:
        """Return the pixel of the letters of a piece of furniture: above the objects on a large one."""
        left, top, right, bottom = self.box(each)
        return (left + right) / 2, top + _STRIP / 2 * self.scale if is_large(each) else (top + bottom) / 2

    def spots(self, number: int, count: int) -> list[Point]:
        """Return the centres of objects that lie in or on a piece of furniture, in pixels; see `stacking`."""
        each, step = self.apartment.receptacles[number], ITEM * self.scale
        box, room = self.box(each), self._inside(each.room)
        if is_large(each):
            return on_top((box[0], box[1] + _STRIP * self.scale, box[2], box[3]), room, step, count)
        spots = next_to(box, room, step, count + _SPARE)
        free = [spot for spot in spots[:_SPARE] if not self._covered(spot)]
        return [*free, *(spot for spot in spots if spot not in free)][:count]

    def _covered(self, spot: Point) -> bool:
        """Return whether an object at a pixel would cover a part of some furniture."""
        x, y = spot[0] / self.scale + self._west, self._north - spot[1] / self.scale
        return bool(covers(box_around((x, y), 0.9 * ITEM, 0.9 * ITEM)[None], self._furniture).any())

    def _inside(self, number: int) -> DrawnBox:
        """Return the pixels of a room in which the centres of objects may be."""
        room = self.apartment.rooms[number]
        x, y = self.at(room.centre)
        half = [max(0.0, side / 2 - _WALL - ITEM / 2) * self.scale for side in room.size]
        return x - half[0], y - half[1], x + half[0], y + half[1]

    def label(self, number: int) -> tuple[Point, ImageFont.FreeTypeFont]:
        """Return the pixel for the name of a room, and its letters.

        The place is the free one that is farthest from doors and furniture: places in the middle and in the corners are
        tried first, then all others, then smaller letters.
        """
        room = self.apartment.rooms[number]
        doors = [door.at for door in self.apartment.doors if number in door.rooms]
        taken = [each.at for each in self.apartment.receptacles if each.room == number] + doors
        others = [box_around(each.centre, *each.size) for each in self.apartment.rooms if each is not room]
        hidden = np.array([*self._furniture, *(box_around(at, DOOR, DOOR) for at in doors), *others])
        (x, y), (wide, high) = room.centre, room.size

        def room_around(spot: Point) -> float:
            return min(1.0, *(math.hypot((spot[0] - at[0]) / 2, spot[1] - at[1]) for at in taken), 1.0)

        for metres in _LETTERS:
            letters = font(max(6, round(metres * self.scale)), bold=True)
            long, tall = letters.getlength(room.name) / self.scale, letters.size / self.scale
            across = [max(0.0, (side - part) / 2 - 2 * _WALL) for side, part in ((wide, long), (high, tall))]
            for parts in ((-1, 0, 1), np.linspace(-1, 1, 21).tolist()):
                spots = [(x + i * across[0], y + j * across[1]) for j in parts for i in parts]
                covered = covers(np.array([box_around(spot, long, tall) for spot in spots]), hidden)
                free = [spot for spot, is_covered in zip(spots, covered, strict=True) if not is_covered]
                if free and long + 2 * _WALL <= wide:
                    return self.at(max(free, key=room_around)), letters
        return self.at((x, y)), letters

    def _door(self, draw: ImageDraw.ImageDraw, rooms: Sequence[int], at: Point, wall: int) -> None:
        """Open a wall: the door lies along the edge of the first room that is nearest to it."""
        room = self.apartment.rooms[rooms[0]]
        gaps = [abs(abs(at[axis] - room.centre[axis]) - room.size[axis] / 2) for axis in range(2)]
        along = 1 if gaps[0] <= gaps[1] else 0  # the axis along which the wall runs
        x, y = self.at(at)
        reach = [0.3 * self.scale + wall, 0.3 * self.scale + wall]
        reach[along] = DOOR / 2 * self.scale
        draw.rectangle((x - reach[0], y - reach[1], x + reach[0], y + reach[1]), palette.FLOOR)
