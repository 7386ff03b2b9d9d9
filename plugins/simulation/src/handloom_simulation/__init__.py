"""A MuJoCo lab: rendered recordings in the formats real devices write, with the truth kept aside."""
