"""Known transforms become trees in which every frame has one parent."""

from hypothesis import given, settings
from hypothesis import strategies as st

from handloom_exporters.mcap.forest import Edge, plant

FRAMES = st.sampled_from("abcdefg")
EDGES = st.lists(st.builds(Edge, parent=FRAMES, child=FRAMES, stream=st.sampled_from(["", "x", "y"])), max_size=12)


def joined(edges):
    """Return the set of frames joined with each frame."""
    groups = {frame: {frame} for edge in edges for frame in (edge.parent, edge.child)}
    for edge in edges:
        group = groups[edge.parent] | groups[edge.child]
        for frame in group:
            groups[frame] = group
    return groups


@settings(max_examples=100, deadline=None)
@given(EDGES)
def test_no_frame_has_two_parents_and_every_joined_pair_stays_joined(edges):
    planted, left_out = plant(edges)
    children = [edge.child for edge in planted]
    assert len(children) == len(set(children))
    assert len(planted) + len(left_out) == len(edges)
    after = joined(planted)
    for frame, group in joined(edges).items():
        assert after.get(frame, {frame}) == group


@settings(max_examples=50, deadline=None)
@given(EDGES)
def test_an_edge_is_the_known_one_or_its_inverse(edges):
    for edge in plant(edges)[0]:
        assert (edge.turn() if edge.turned else edge) in edges


def test_a_tracked_camera_carries_the_tool_it_is_mounted_on():
    planted, left_out = plant(
        [Edge(parent="tcp", child="camera"), Edge(parent="world", child="camera", stream="s")]
    )
    assert not left_out
    assert [(edge.parent, edge.child, edge.turned) for edge in planted] == [
        ("world", "camera", False),
        ("camera", "tcp", True),
    ]


def test_a_second_source_of_the_same_transform_is_left_out():
    first, second = (Edge(parent="world", child="camera", stream=name) for name in ("a", "b"))
    assert plant([first, second]) == ((first,), (second,))
