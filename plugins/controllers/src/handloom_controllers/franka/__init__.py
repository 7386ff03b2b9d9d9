"""What the robot `franka` is made of.

The control law, the trajectory and their 1 kHz loop are compiled, as for every other robot. Between them and the
arm stands a process whose cycle is Python, because the maker's wheel ships no C++ headers: it reads a state, hands
it to the loop through shared memory, and passes the loop's torques on.
"""
