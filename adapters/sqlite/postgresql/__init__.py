"""The same repositories on PostgreSQL: another driver, another pool, the same statements."""
