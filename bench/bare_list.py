"""The least that can list tasks over HTTP: `python -m bench.bare_list DATABASE`.

One Litestar handler that runs the product's statement on a held connection of the driver, and
answers with the product's structs. It prints its port and serves until it is ended.
"""

import socket
import sqlite3
import sys
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

import uvicorn
from litestar import Litestar, get

from adapters.http.shapes import TaskBody, TaskRepositoryBody
from adapters.sqlite.statement import compiled
from adapters.sqlite.tasks import PAGE

__all__ = ("main",)


def body(rows: list[tuple[Any, ...]]) -> TaskBody:
    key, workspace, title, prompt, state, created, *_ = rows[0]
    repositories = [TaskRepositoryBody(*row[-4:]) for row in rows if row[-4] is not None]
    at = datetime.fromisoformat(created)
    return TaskBody(key, workspace, title, prompt, state, repositories, at)


def main(database: str) -> None:
    driver = sqlite3.connect(database)
    statement = compiled(PAGE)

    @get("/api/v1/tasks")
    async def tasks(workspace_id: str, limit: int) -> list[TaskBody]:
        places = {"workspace": workspace_id, "after": "", "limit": limit}
        rows = driver.execute(statement.sql, statement.arguments(places)).fetchall()
        return [body(list(each)) for _, each in groupby(rows, itemgetter(0))]

    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    print(listener.getsockname()[1], flush=True)
    settings = uvicorn.Config(Litestar([tasks]), http="httptools", loop="uvloop", log_config=None)
    uvicorn.Server(settings).run(sockets=[listener])


if __name__ == "__main__":
    main(sys.argv[1])
