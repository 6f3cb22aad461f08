"""The store: SQLModel tables, migrations and repositories."""
