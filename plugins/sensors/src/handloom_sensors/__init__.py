"""Handloom's sensors: GoPro recordings with their telemetry, plain video, audio files and trajectory files."""
