"""Makes the pages that follow from the code; see `__main__`."""
