"""Turn demonstrations recorded by hand into policies that run on a robot.

This package is the core: it finds plugins, wires them into a pipeline described in TOML, runs it and keeps the
results in a store that survives being killed. Import what you need from its sub-packages; importing `handloom`
itself loads nothing.
"""

__version__ = "0.1.0"
