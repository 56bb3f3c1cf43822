"""`python -m docs.make [--pictures | --notebooks | --figures]`: write what is generated in `docs/`, from the root."""

from __future__ import annotations

import argparse

from docs.make.figures import list_figures
from docs.make.leaderboard import PAGE as LEADERBOARD
from docs.make.leaderboard import make_leaderboard
from docs.make.pages import pages
from docs.make.recordings import PAGE as RECORDINGS
from docs.make.recordings import make_recordings
from docs.make.tasks import PAGE, make_tasks


def main() -> None:
    """Write every generated file; with `--pictures` play and draw games, and take pictures of the pages, first."""
    parser = argparse.ArgumentParser(prog="python -m docs.make", description=__doc__)
    parser.add_argument(
        "--pictures",
        action="store_true",
        help="also play the games of the tutorial and the README, draw them, and take the pictures of the pages "
        "in a headless Chromium (takes minutes)",
    )
    parser.add_argument(
        "--notebooks",
        action="store_true",
        help="only run the notebooks of examples/ and save their outputs (takes minutes; needs nbclient and ipykernel)",
    )
    parser.add_argument(
        "--figures",
        action="store_true",
        help="only list every measured figure of the docs with its command, commit, and the changes of its code since",
    )
    args = parser.parse_args()
    if args.figures:
        return print(list_figures())
    if args.notebooks:
        from docs.make.notebooks import run_notebooks

        return run_notebooks()
    if args.pictures:
        from docs.make.games import play_all
        from docs.make.shots import take_all

        play_all()
        take_all()
    more = {PAGE: make_tasks(), RECORDINGS: make_recordings(), LEADERBOARD: make_leaderboard()}
    for path, text in (pages() | more).items():
        path.write_text(text, encoding="utf-8", newline="\n")
        print(f"wrote {path}")


main()
