"""Not written yet."""
