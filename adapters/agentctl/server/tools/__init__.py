"""The managed tools: what an agent under managed access finds first on its `PATH`."""
