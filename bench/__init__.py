"""Benchmarks: each a path of ours beside a reference, measured in the same run.

A module of this package that has benchmarks lists them in `BENCHMARKS`; `python -m bench` finds it.
"""
