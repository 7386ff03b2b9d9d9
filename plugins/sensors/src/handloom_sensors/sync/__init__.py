"""How two recorders' clocks are brought together: by a chirp, by shared sound, by shared motion."""
