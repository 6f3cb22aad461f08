"""`kandev workspace`: list workspaces, and take members in or let them go."""

import argparse
import asyncio
import os
import sys
from collections.abc import AsyncIterator, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from composition.client import Client
from composition.commands.failures import reported
from composition.reach import reach
from composition.settings import read_settings

__all__ = ("main",)

PATH = "/api/v1/workspaces"


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="kandev workspace", description=__doc__)
    verbs = made.add_subparsers(dest="verb", metavar="VERB", required=True)
    verbs.add_parser("list", help="id, owner and name of each")
    members = verbs.add_parser("members", help="id, address and name of each member")
    members.add_argument("workspace", metavar="WORKSPACE")
    add = verbs.add_parser("add", help="take in who signs in with an address")
    add.add_argument("workspace", metavar="WORKSPACE")
    add.add_argument("email", metavar="ADDRESS")
    remove = verbs.add_parser("remove", help="let a member go, with what that one follows")
    remove.add_argument("workspace", metavar="WORKSPACE")
    remove.add_argument("user", metavar="USER", help="the id, as `members` shows it")
    return made


def main(arguments: Sequence[str]) -> int:
    chosen = parser().parse_args(arguments)
    return reported(lambda: asyncio.run(act(chosen)))


async def act(chosen: argparse.Namespace) -> int:
    async with reach(read_settings(os.environ)) as client:
        await ask(client, chosen)
    return 0


async def ask(client: Client, chosen: argparse.Namespace) -> None:
    """Ask the server for what the words say, and print its answer."""
    if chosen.verb == "list":
        async for each in all_of(client):
            sys.stdout.write(line(each))
    elif chosen.verb == "members":
        for each in await client.get(members_of(chosen.workspace)):
            sys.stdout.write(member_line(each))
    elif chosen.verb == "add":
        added = await client.post(members_of(chosen.workspace), {"email": chosen.email})
        sys.stdout.write(member_line(added))
    else:
        await client.delete(f"{members_of(chosen.workspace)}/{quote(chosen.user, safe='')}")


def members_of(workspace: str) -> str:
    """Where its members are; a page of them holds as many as there can be."""
    return f"{PATH}/{quote(workspace, safe='')}/members"


async def all_of(client: Client) -> AsyncIterator[dict[str, Any]]:
    """Every workspace, by id."""
    after = ""
    while True:
        page = await client.get(f"{PATH}?{urlencode({'after': after})}")
        for workspace in page:
            yield workspace
        if not page:
            return
        after = page[-1]["id"]


def line(workspace: dict[str, Any]) -> str:
    return f"{workspace['id']}  {workspace['owner_id']}  {workspace['name']}\n"


def member_line(member: dict[str, Any]) -> str:
    return f"{member['user_id']}  {member['email']}  {member['name']}\n"
