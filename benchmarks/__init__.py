"""What Handloom promises about cost, measured as ratios against what a user would run instead."""
