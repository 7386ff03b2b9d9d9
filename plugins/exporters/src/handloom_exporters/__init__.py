"""Handloom's exporters: datasets and files that other tools read."""
