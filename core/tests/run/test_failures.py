"""Sentences about failures: what a person is told, and what a store may keep of it."""

from pathlib import Path

from handloom.run.failures import portable


def test_a_kept_sentence_names_files_and_no_folder_of_this_machine():
    scene = Path("/lab/kitchen/scene")
    files = (Path("/card/DCIM/GX01"), Path("/card/DCIM/GX01.MP4"))
    told = "/card/DCIM/GX01.MP4 ends early; /lab/kitchen/scene/media/ab.mp4 and /lab/kitchen/exports/a.mcap too."
    assert portable(told, files, scene) == "GX01.MP4 ends early; media/ab.mp4 and exports/a.mcap too."
