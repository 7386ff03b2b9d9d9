"""Handloom on the command line."""
