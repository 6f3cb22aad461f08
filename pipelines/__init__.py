"""Use cases: domain decisions chained over ports, one file a user intent."""
