"""Benchmarks: what is claimed of speed and quality, measured."""
