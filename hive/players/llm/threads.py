"""Several dialogues at the same time: tasks in threads, whose results are handed to the thread that waits."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import TypeVar

T = TypeVar("T")


def side_by_side(tasks: Sequence[Callable[[], T]], concurrent: int, heard: Callable[[T], None]) -> list[T]:
    """Run tasks in several threads; after an interrupt or an error of one, no further task begins.

    Args:
        tasks: Functions that may run in any order.
        concurrent: Most of them at the same time.
        heard: Called in this thread with each result as it comes.

    Returns:
        The results in the order of the tasks.
    """
    waiting: SimpleQueue[int] = SimpleQueue()
    for place in range(len(tasks)):
        waiting.put(place)
    results: SimpleQueue[tuple[int, T | None, BaseException | None]] = SimpleQueue()

    def work() -> None:
        while (place := _next(waiting)) is not None:
            try:
                results.put((place, tasks[place](), None))
            except BaseException as error:  # handed to the thread that waits
                _drain(waiting)
                results.put((place, None, error))

    for _ in range(min(concurrent, len(tasks))):
        threading.Thread(target=work, daemon=True).start()  # an interrupt does not wait for a slow server
    found: dict[int, T] = {}
    try:
        while len(found) < len(tasks):
            place, result, error = results.get()
            if error is not None:
                raise error
            found[place] = result  # type: ignore[assignment]  # there is a result or an error
            heard(found[place])
    finally:
        _drain(waiting)
    return [found[place] for place in range(len(tasks))]


def _next(waiting: SimpleQueue[int]) -> int | None:
    try:
        return waiting.get_nowait()
    except Empty:
        return None


def _drain(waiting: SimpleQueue[int]) -> None:
    while _next(waiting) is not None:
        pass
