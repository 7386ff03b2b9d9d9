"""Handloom's policy models: what answers an observation with a chunk of stamped waypoints."""
