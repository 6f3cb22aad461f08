"""The schema's steps, in the order of their names; a released one never changes.

Each is Alembic operations in `upgrade()`, may be applied again to a database that has them, and
stands on what the earlier ones made. A column of an existing table comes by a step of its own.
"""
