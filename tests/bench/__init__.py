"""The harness of the benchmarks, shown with measures that are no clock."""
