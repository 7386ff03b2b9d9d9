"""Makes the plots of docs/tuning.md: `python -m docs.plots` moves the simulated arm and draws what it did."""
