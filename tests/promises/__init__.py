"""The promises, one file an area: `PROMISES: dict[id, (source, sentence)]`."""
