"""Tests of the whole tree; each distribution has its own beside its source."""
