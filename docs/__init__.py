"""The documentation: pages for people, and in `generate` what makes those that follow from the code."""
