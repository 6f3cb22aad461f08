"""The process: ACP version 1 on stdio. Its flags choose how it misbehaves."""

import argparse
import os
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path

from adapters.scripted_agent.peer import Json, Peer
from adapters.scripted_agent.play import Cancelled, Denied, Player, Refused, chunk
from adapters.scripted_agent.script import ScriptError, parse

PREFIX = "scripted-"
"""Conversations of ours; only these can be loaded again."""

_PROTOCOL = 1
_END_SECONDS = 2.0
"""For running turns to end once the client has gone."""
_NOT_FOUND = -32002
_INTERNAL = -32603
_NO_METHOD = -32601


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="kandev demo-agent", description=__doc__)
    parser.add_argument("--exit-during-initialize", action="store_true")
    parser.add_argument("--hang-in-initialize", action="store_true")
    parser.add_argument("--noise", action="store_true", help="print a line that is not JSON first")
    parser.add_argument("--protocol", type=int, default=_PROTOCOL, help="the version it answers")
    parser.add_argument("--no-load", action="store_true", help="cannot load a conversation")
    parser.add_argument("--fail-load", action="store_true", help="finds no conversation to load")
    parser.add_argument("--die-in-load", action="store_true", help="ends while it loads")
    parser.add_argument("--replay", action="store_true", help="replays two messages on load")
    parser.add_argument("--ignore-cancel", action="store_true")
    parser.add_argument("--ignore-sigterm", action="store_true")
    return parser.parse_args()


class Agent:
    def __init__(self, flags: argparse.Namespace) -> None:
        self._flags = flags
        self._peer = Peer()
        self._sessions: dict[str, tuple[Path, list[Json]]] = {}
        self._playing: dict[str, Player] = {}
        self._turns: list[threading.Thread] = []

    def run(self) -> None:
        if self._flags.noise:
            self._peer.line("warming up, this is not JSON")
        for message in self._peer.messages():
            self._receive(message)
        for player in self._playing.values():
            player.cancelled.set()
        for turn in self._turns:
            turn.join(_END_SECONDS)

    def _receive(self, message: Json) -> None:
        params = message.get("params", {})
        match message["method"]:
            case "initialize":
                self._initialize(message)
            case "session/new":
                session = f"{PREFIX}{os.getpid()}-{len(self._sessions) + 1}"
                self._open(session, params)
                self._peer.respond(message, {"sessionId": session})
            case "session/load":
                self._load(message, params)
            case "session/prompt":
                self._begin(message, params)
            case "session/cancel":
                self._cancel(str(params["sessionId"]))
            case _ if "id" in message:
                self._peer.fail(message, _NO_METHOD, f"no method {message['method']}")
            case _:
                pass

    def _initialize(self, message: Json) -> None:
        if self._flags.exit_during_initialize:
            sys.stderr.write("scripted agent: told to end during initialize\n")
            sys.stderr.flush()
            os._exit(3)
        if self._flags.hang_in_initialize:
            return
        capabilities = {"loadSession": not self._flags.no_load}
        agent = {"name": "kandev-scripted-agent", "version": "1"}
        answer = {
            "protocolVersion": self._flags.protocol,
            "agentCapabilities": capabilities,
            "agentInfo": agent,
            "authMethods": [],
        }
        self._peer.respond(message, answer)

    def _open(self, session: str, params: Json) -> None:
        self._sessions[session] = (Path(params["cwd"]), list(params.get("mcpServers", [])))

    def _load(self, message: Json, params: Json) -> None:
        session = str(params["sessionId"])
        if self._flags.die_in_load:
            os._exit(4)
        if self._flags.fail_load or not session.startswith(PREFIX):
            self._peer.fail(message, _NOT_FOUND, "there is no such conversation")
            return
        self._open(session, params)
        if self._flags.replay:
            for kind, text in (("user_message_chunk", "old"), ("agent_message_chunk", "older")):
                update = {"sessionId": session, "update": chunk(kind, text)}
                self._peer.notify("session/update", update)
        self._peer.respond(message, {})

    def _begin(self, message: Json, params: Json) -> None:
        session = str(params["sessionId"])
        if session not in self._sessions:
            self._peer.fail(message, _NOT_FOUND, "there is no such conversation")
            return
        directory, servers = self._sessions[session]
        player = Player(self._peer, session, directory, servers)
        self._playing[session] = player
        text = "\n".join(each.get("text", "") for each in params.get("prompt", []))
        turn = threading.Thread(target=self._turn, args=(message, player, text), daemon=True)
        self._turns = [*(each for each in self._turns if each.is_alive()), turn]
        turn.start()

    def _turn(self, message: Json, player: Player, text: str) -> None:
        try:
            self._play(player, text)
        except Cancelled:
            self._peer.respond(message, {"stopReason": "cancelled"})
        except (Refused, ScriptError, OSError, TypeError) as error:
            self._peer.fail(message, _INTERNAL, str(error))
        else:
            self._peer.respond(message, {"stopReason": "end_turn"})
        for late in player.late:
            player.update(chunk("agent_message_chunk", late))

    def _play(self, player: Player, text: str) -> None:
        with suppress(Denied):
            player.play(parse(text))

    def _cancel(self, session: str) -> None:
        if not self._flags.ignore_cancel and session in self._playing:
            self._playing[session].cancelled.set()


def main() -> None:
    flags = arguments()
    if flags.ignore_sigterm:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    Agent(flags).run()


if __name__ == "__main__":
    main()
