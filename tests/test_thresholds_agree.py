"""Thresholds that two families must share, as neither may import the other, are the same number."""

from handloom_pose_sources.judging import VerdictConfig
from handloom_sensors.sync.chirp_settings import ChirpSyncConfig


def test_the_verdict_takes_no_chirp_that_the_sync_would_refuse_and_refuses_none_that_it_takes():
    assert VerdictConfig().min_sync_confidence == {"chirp": ChirpSyncConfig().min_confidence}
