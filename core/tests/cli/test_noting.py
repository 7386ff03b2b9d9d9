"""Notes of a run: what holds for many episodes is said once."""

from handloom.cli.noting import folded
from handloom.run import Outcome


def made(node, episode, *notes):
    return Outcome(node=node, episode=episode, ending="committed", notes=notes)


def test_a_single_note_names_its_place():
    assert list(folded([made("sync", "pick_1", "No chirp."), made("dataset", "", "Two are cut.")])) == [
        "pick_1 sync: No chirp.",
        "dataset: Two are cut.",
    ]


def test_the_same_of_several_episodes_is_said_once_with_their_count():
    outcomes = [made("tracker", f"pick_{number}", "take.csv: lost in 9 rows.") for number in range(3)]
    assert list(folded(outcomes)) == ["tracker, 3 episodes: take.csv: lost in 9 rows."]


def test_what_differs_in_numbers_alone_is_said_in_the_words_of_the_first():
    outcomes = [made("sound", f"pick_{number}", f"{number} of 9 frames are silent.") for number in (4, 7)]
    assert list(folded(outcomes)) == ["sound, 2 episodes, such as pick_4: 4 of 9 frames are silent."]


def test_other_words_and_other_components_stay_apart_in_the_order_they_came():
    outcomes = [
        made("sound", "a", "Silent.", "Clipped."),
        made("sight", "a", "Silent."),
        made("sound", "b", "Silent."),
    ]
    assert list(folded(outcomes)) == ["sound, 2 episodes: Silent.", "a sound: Clipped.", "a sight: Silent."]


def test_what_is_said_of_the_whole_scene_is_never_folded():
    notes = ("Episode 1 is left out.", "Episode 2 is left out.")
    assert list(folded([made("dataset", "", *notes)])) == [f"dataset: {note}" for note in notes]
