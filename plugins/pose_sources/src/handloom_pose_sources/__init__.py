"""Handloom's pose sources: where the tool was at every instant, from whichever tracker a lab owns."""
