"""GPMF, the telemetry that GoPro cameras record: parser, telemetry model, timing, axes and a writer."""
