"""What the robot `replay` is made of: a recording cut into cycles, and the comparison of commands."""
