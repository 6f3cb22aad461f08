"""Why a turn failed, and what it left behind; both are unknown of turns that ended before."""

import sqlalchemy as sa
from alembic import op

__all__ = ("upgrade",)

_TABLE = "task_session_turns"


def upgrade() -> None:
    known = {column["name"] for column in sa.inspect(op.get_bind()).get_columns(_TABLE)}
    for name in ("reason", "evidence"):
        if name not in known:
            op.add_column(_TABLE, sa.Column(name, sa.String))
