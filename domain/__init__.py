"""Pure decisions: frozen values in, a `Result` or a value out; no I/O, no clock, no framework."""
