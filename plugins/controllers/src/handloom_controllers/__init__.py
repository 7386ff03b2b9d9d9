"""Handloom's controllers: what turns a chunk of waypoints into commands at the robot's own rate."""
