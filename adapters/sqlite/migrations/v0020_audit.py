"""The audit log. It refers to no other table, and its rows are not changed."""

import sqlalchemy as sa
from alembic import op

__all__ = ("upgrade",)

_TABLE = "audit_log"

_SQLITE = """
CREATE TRIGGER IF NOT EXISTS audit_log_is_append_only BEFORE UPDATE ON audit_log
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END
"""
_POSTGRESQL = (
    """
CREATE OR REPLACE FUNCTION audit_log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$
""",
    """
CREATE OR REPLACE TRIGGER audit_log_is_append_only BEFORE UPDATE ON audit_log
FOR EACH ROW EXECUTE FUNCTION audit_log_is_append_only()
""",
)


def upgrade() -> None:
    op.create_table(
        _TABLE,
        sa.Column("sequence", sa.Integer, primary_key=True),
        sa.Column("at", sa.String, nullable=False),
        sa.Column("deed", sa.String, nullable=False),
        sa.Column("actor", sa.String, nullable=False),
        sa.Column("user_id", sa.String),
        sa.Column("subject", sa.String, nullable=False),
        sa.Column("workspace_id", sa.String),
        sa.Column("detail", sa.String, nullable=False),
        sqlite_autoincrement=True,
        if_not_exists=True,
    )
    op.create_index("ix_audit_log_at", _TABLE, ["at"], if_not_exists=True)
    if op.get_bind().dialect.name == "sqlite":
        op.execute(_SQLITE)
    else:
        for each in _POSTGRESQL:
            op.execute(each)
