"""Movies: every frame or evenly fewer, true colours, small files, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from dsl import UserError
from hive.kit.view import movie, palette
from hive.kit.view.movie import Movie, film_gif, film_mp4, mp4_available
from hive.worlds.battle.recording import BattleRecording
from hive.worlds.battle.view.picture import Painter

Make = Callable[..., BattleRecording]


def march(make_recording: Make, frames: int = 12, units: int = 6) -> BattleRecording:
    """Return units that walk north; every second one dies half way."""
    start = np.random.default_rng(0).uniform([1, 1], [19, 6], (units, 2))
    places = start + np.linspace(0, 12, frames)[:, None, None] * [0, 1]
    health = np.ones((frames, units))
    health[frames // 2 :, ::2] = 0
    return make_recording(places, side=np.arange(units) % 2, type=np.arange(units) % 3, health=health)


@given(st.integers(1, 2000), st.integers(2, 400))
def test_thinning_keeps_ends_and_spreads_evenly(frames: int, most: int) -> None:
    shown = movie.thin(frames, most)
    assert len(shown) == min(frames, most)
    assert (shown[0], shown[-1]) == (0, frames - 1)
    steps = np.diff(shown)
    assert len(steps) == 0 or (steps.min() >= 1 and steps.max() - steps.min() <= 1)


def test_a_gif_holds_every_frame_at_the_rate_asked_for(make_recording: Make, tmp_path: Path) -> None:
    calls: list[tuple[int, int]] = []
    made = film_gif(Painter(march(make_recording), 300), tmp_path / "m.gif", 20, lambda *call: calls.append(call))
    with Image.open(tmp_path / "m.gif") as image:
        assert (getattr(image, "n_frames", 1), image.size[0]) == (12, 300)
        assert image.info["duration"] == 50 and image.info["loop"] == 0
    assert (made.frames, made.recorded, made.fps) == (12, 12, 20)
    assert made.bytes == (tmp_path / "m.gif").stat().st_size
    assert calls == [(k, 12) for k in range(1, 13)]
    assert [entry.name for entry in tmp_path.iterdir()] == ["m.gif"]


def test_a_long_recording_is_thinned_and_the_result_says_so(make_recording: Make, tmp_path: Path) -> None:
    made = film_gif(Painter(march(make_recording, 30), 240), tmp_path / "m.gif", 20, max_frames=7)
    with Image.open(tmp_path / "m.gif") as image:
        assert getattr(image, "n_frames", 1) == 7
    assert (made.frames, made.recorded) == (7, 30)
    assert "7 of 30 frames" in str(made)


def test_frames_of_a_gif_look_like_the_pictures_they_come_from(make_recording: Make, tmp_path: Path) -> None:
    """A pixel left out because it did not change must show what it showed before: units leave no trail."""
    seen = march(make_recording)
    painter = Painter(seen, 300)
    film_gif(painter, tmp_path / "m.gif", 20)
    with Image.open(tmp_path / "m.gif") as image:
        for t in (0, 5, 7, 11):
            image.seek(t)
            shown, wanted = np.asarray(image.convert("RGB")).astype(int), painter.frame(t).astype(int)
            off = np.abs(shown - wanted).max(axis=-1)
            assert off.mean() < 3 and (off > 60).mean() < 0.002
            assert (shown[60, 60] == palette.GROUND_COLOUR).all()


def test_a_gif_of_a_single_frame_is_a_gif(make_recording: Make, tmp_path: Path) -> None:
    made = film_gif(Painter(march(make_recording, 3), 240), tmp_path / "m.gif", 20, max_frames=1)
    with Image.open(tmp_path / "m.gif") as image:
        assert getattr(image, "n_frames", 1) == made.frames == 1


def test_a_thousand_units_stay_below_ten_megabytes_in_three_hundred_frames(
    make_recording: Make, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    places = rng.uniform(0, 150, (1, 1000, 2)) + np.cumsum(rng.normal(0, 0.7, (30, 1000, 2)), axis=0)
    seen = make_recording(places, metres=150, side=np.arange(1000) % 2, type=np.arange(1000) % 3)
    made = film_gif(Painter(seen, 500), tmp_path / "m.gif", 20)
    assert made.bytes / made.frames < 10e6 / 300


@pytest.mark.parametrize("save", [film_gif, film_mp4])
def test_a_movie_that_fails_leaves_the_old_file_and_no_other(
    make_recording: Make, tmp_path: Path, save: Callable[..., Movie]
) -> None:
    if save is film_mp4 and not mp4_available():
        pytest.skip("imageio-ffmpeg is not installed")
    path = tmp_path / "m.movie"
    path.write_bytes(b"old")

    def interrupt(done: int, total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        save(Painter(march(make_recording), 240), path, 20, interrupt)
    assert [entry.name for entry in tmp_path.iterdir()] == ["m.movie"]
    assert path.read_bytes() == b"old"


@pytest.mark.parametrize("fps", [0, -1, 51])
def test_a_rate_that_gif_cannot_show_is_refused(make_recording: Make, tmp_path: Path, fps: float) -> None:
    with pytest.raises(ValueError, match="frames a second"):
        film_gif(Painter(march(make_recording), 240), tmp_path / "m.gif", fps)


@pytest.mark.skipif(not mp4_available(), reason="imageio-ffmpeg is not installed")
def test_an_mp4_holds_every_frame_and_rests_on_the_last(make_recording: Make, tmp_path: Path) -> None:
    import imageio_ffmpeg

    calls: list[tuple[int, int]] = []
    made = film_mp4(Painter(march(make_recording), 300), tmp_path / "m.mp4", 10, lambda *call: calls.append(call))
    frames, seconds = imageio_ffmpeg.count_frames_and_secs(str(tmp_path / "m.mp4"))
    assert made.frames == 12 and frames == 12 - 1 + 20 and abs(seconds - 3.1) < 0.2
    assert calls[-1] == (12, 12)


def test_without_an_encoder_mp4_is_the_users_error(
    make_recording: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(movie, "find_spec", lambda name: None)
    assert not mp4_available()
    with pytest.raises(UserError, match="imageio-ffmpeg"):
        film_mp4(Painter(march(make_recording), 240), tmp_path / "m.mp4", 10)
