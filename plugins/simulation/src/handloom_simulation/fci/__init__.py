"""The far end of a Franka arm without the arm: its network protocol, and the simulated FR3 behind it."""
