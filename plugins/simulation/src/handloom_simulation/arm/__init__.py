"""A simulated arm in MuJoCo, moved in C++ at 1 kHz, that stops itself where a real one would.

Needs `pip install 'handloom-simulation[arm]'` and a C++ compiler: the part that moves it is built on first use,
against the MuJoCo that is installed. Nothing else in this distribution needs either.
"""
