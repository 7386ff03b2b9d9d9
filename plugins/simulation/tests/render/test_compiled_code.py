"""Compiled code is kept, and made anew when any file that goes into it has changed."""

from handloom_simulation.render import compiled


def test_kept_code_is_stamped_with_all_sources_of_the_renderer():
    from handloom_simulation.render.trace import trace

    stamp = trace._cache._cache_file._source_stamp
    assert stamp == compiled._digest_of_sources()
    assert len(stamp) == 64
