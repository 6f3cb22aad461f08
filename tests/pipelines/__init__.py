"""Use cases over the real store, with clocks and other people's servers in the test's hand."""
