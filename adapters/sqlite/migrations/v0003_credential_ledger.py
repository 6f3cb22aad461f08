"""The ledger of leases. It refers to no other table: an entry outlives what it tells of."""

import sqlalchemy as sa
from alembic import op

__all__ = ("upgrade",)

_TABLE = "credential_ledger"
_INDEXES = {
    "ix_ledger_at": ("at",),
    "ix_ledger_workspace": ("workspace_id", "sequence"),
    "ix_ledger_task": ("task_id", "sequence"),
    "ix_ledger_session": ("session_id", "sequence"),
}


def upgrade() -> None:
    op.create_table(
        _TABLE,
        sa.Column("sequence", sa.Integer, primary_key=True),
        sa.Column("at", sa.String, nullable=False),
        sa.Column("operation", sa.String, nullable=False),
        sa.Column("result", sa.String, nullable=False),
        sa.Column("detail", sa.String, nullable=False),
        sa.Column("workspace_id", sa.String),
        sa.Column("task_id", sa.String),
        sa.Column("session_id", sa.String),
        sa.Column("execution_id", sa.String, nullable=False),
        sa.Column("repository_id", sa.String),
        sa.Column("host", sa.String, nullable=False),
        sa.Column("path", sa.String, nullable=False),
        sa.Column("actor", sa.String),
        sa.Column("pid", sa.Integer),
        sa.Column("descent", sa.String),
        sqlite_autoincrement=True,
        if_not_exists=True,
    )
    for name, columns in _INDEXES.items():
        op.create_index(name, _TABLE, list(columns), if_not_exists=True)
