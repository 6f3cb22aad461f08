"""A minimal ACP agent for the tests: plays what its prompt says, one word at a time.

Run as `python -I minimal.py [option=value ...]`; it needs nothing but the standard library.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

OPTIONS = dict(word.split("=", 1) for word in sys.argv[1:])
CANCELLED = threading.Event()
ANSWERS: dict[int, "threading.Event"] = {}
RESULTS: dict[int, object] = {}
LOCK = threading.Lock()


def write(text: str) -> None:
    with LOCK:
        sys.stdout.write(text)
        sys.stdout.flush()


def say(message: dict[str, object]) -> None:
    write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")


def update(**members: object) -> None:
    say({"method": "session/update", "params": {"sessionId": "s1", "update": members}})


def chunk(text: str) -> dict[str, object]:
    return {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}


def invoke(method: str, params: dict[str, object]) -> object:
    """A request to the client, and its result or its error."""
    identity = len(ANSWERS) + 1000
    ANSWERS[identity] = threading.Event()
    say({"id": identity, "method": method, "params": {"sessionId": "s1", **params}})
    ANSWERS[identity].wait()
    return RESULTS[identity]


def ask(options: list[str]) -> object:
    offered = [{"optionId": kind, "name": kind, "kind": kind} for kind in options]
    call = {"toolCallId": "c1", "title": "run it"}
    return invoke("session/request_permission", {"toolCall": call, "options": offered})


def act(word: str) -> None:
    name, _, argument = word.partition(":")
    if not speak(name, argument) and not work(name, argument):
        raise ValueError(word)


def speak(name: str, argument: str) -> bool:
    match name:
        case "say":
            update(**chunk(argument))
        case "count":
            for number in range(int(argument)):
                update(**chunk(f"{number} " + "x" * 100))
        case "big":
            update(**chunk("x" * int(argument)))
        case "tool":
            update(sessionUpdate="tool_call", toolCallId=argument, title="t", kind="execute")
        case "ask":
            outcome = ask(argument.split(","))
            update(**chunk(json.dumps(outcome)))
        case "invoke":
            method, _, params = argument.partition(",")
            update(**chunk(json.dumps(invoke(method, json.loads(params)))))
        case "noise":
            write("this is no message\n" * int(argument))
        case "stderr":
            sys.stderr.write(argument + "\n")
            sys.stderr.flush()
        case _:
            return False
    return True


def work(name: str, argument: str) -> bool:
    match name:
        case "env":
            update(**chunk(os.environ.get(argument, "unset")))
        case "cwd":
            update(**chunk(str(Path.cwd())))
        case "child":
            code = "import signal,time; signal.signal(15, signal.SIG_IGN); time.sleep(60)"
            child = subprocess.Popen([sys.executable, "-I", "-c", code])
            update(**chunk(str(child.pid)))
        case "wait":
            CANCELLED.wait(60)
        case "deaf":
            threading.Event().wait(60)
        case "crash":
            sys.stderr.write("about to crash\n")
            sys.stderr.flush()
            os._exit(int(argument or 1))
        case "git":
            done = subprocess.run(
                ["git", *argument.split(",")], capture_output=True, text=True, check=False
            )
            update(**chunk(done.stdout + done.stderr))
        case _:
            return False
    return True


def prompt(identity: object, text: str) -> None:
    CANCELLED.clear()
    for word in text.split():
        if word == "fail":
            error = {"code": -32603, "message": "Internal error", "data": "no luck"}
            say({"id": identity, "error": error})
            return
        if word.startswith("late:"):
            late = {"sessionId": "s1", "update": chunk(word[5:])}
            answer = {"jsonrpc": "2.0", "id": identity, "result": {"stopReason": "end_turn"}}
            after = {"jsonrpc": "2.0", "method": "session/update", "params": late}
            write(json.dumps(answer) + "\n" + json.dumps(after) + "\n")
            return
        act(word)
    stopped = "cancelled" if CANCELLED.is_set() else "end_turn"
    say({"id": identity, "result": {"stopReason": stopped}})


def remember(params: dict[str, object]) -> None:
    if "told" in OPTIONS:
        Path(OPTIONS["told"]).write_text(json.dumps(params.get("_meta")), encoding="utf-8")


def models() -> dict[str, object]:
    """A choice of two models, in a group, where `models` is among the options."""
    if "models" not in OPTIONS:
        return {}
    offered = [{"value": value, "name": value} for value in ("small", "large")]
    select = {"id": "m", "name": "Model", "category": "model", "type": "select"}
    groups = [{"group": "all", "name": "All", "options": offered}]
    return {"configOptions": [{**select, "currentValue": "small", "options": groups}]}


def note_servers(params: dict[str, object]) -> None:
    if "servers" in OPTIONS:
        with Path(OPTIONS["servers"]).open("w", encoding="utf-8") as file:
            json.dump(params["mcpServers"], file)


def load(identity: object) -> None:
    match OPTIONS.get("load", "no"):
        case "replay":
            for text in ("old", "news"):
                update(**chunk(text))
            plan = [{"content": "step", "status": "pending", "priority": "high"}]
            update(sessionUpdate="plan", entries=plan)
            say({"id": identity, "result": models()})
        case "many":
            for number in range(10):
                update(**chunk(f"old {number}"))
            update(sessionUpdate="tool_call", toolCallId="old", title="t", kind="execute")
            say({"id": identity, "result": {}})
        case "partial":
            for number in range(5):
                update(**chunk(f"old {number}"))
            plan = [{"content": "step", "status": "pending", "priority": "high"}]
            update(sessionUpdate="plan", entries=plan)
            say({"id": identity, "error": {"code": -32603, "message": "Internal error"}})
        case "missing":
            error = {"code": -32002, "message": "Resource not found", "data": {"uri": "s0"}}
            say({"id": identity, "error": error})
        case "die":
            os._exit(3)
        case other:
            raise ValueError(other)


def request(message: dict[str, object]) -> None:
    identity, params = message.get("id"), message.get("params")
    assert isinstance(params, dict)
    match message["method"]:
        case "initialize":
            if OPTIONS.get("initialize") == "die":
                sys.stderr.write("cannot start: no config\n")
                sys.stderr.flush()
                os._exit(7)
            if OPTIONS.get("initialize") == "silent":
                return
            if OPTIONS.get("initialize") == "malformed":
                say({"id": identity, "result": {"protocolVersion": "one"}})
                return
            capabilities: dict[str, object] = {"loadSession": "load" in OPTIONS}
            if "http" in OPTIONS:
                capabilities["mcpCapabilities"] = {"http": True, "sse": False}
            version = int(OPTIONS.get("version", "1"))
            result = {"protocolVersion": version, "agentCapabilities": capabilities}
            say({"id": identity, "result": result})
        case "session/new":
            if OPTIONS.get("new") == "refuse":
                say({"id": identity, "error": {"code": -32000, "message": "Login first"}})
                return
            note_servers(params)
            remember(params)
            say({"id": identity, "result": {"sessionId": "s1", **models()}})
        case "session/set_config_option" if OPTIONS.get("models") == "stuck":
            say({"id": identity, "error": {"code": -32603, "message": "Internal error"}})
        case "session/set_config_option":
            told = [params["sessionId"], params["configId"], params["value"]]
            Path(OPTIONS["chosen"]).write_text(json.dumps(told), encoding="utf-8")
            say({"id": identity, "result": {"configOptions": []}})
        case "session/load":
            note_servers(params)
            remember(params)
            load(identity)
        case "session/prompt":
            text = params["prompt"][0]["text"]
            threading.Thread(target=prompt, args=(identity, text), daemon=True).start()
        case "session/cancel":
            CANCELLED.set()
        case other:
            raise ValueError(other)


def main() -> None:
    if OPTIONS.get("term") == "ignore":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "banner" in OPTIONS:
        write("\x1b[32m=====\x1b[0m\n" * 3 + '\n"ready"\n')
    if "cut" in OPTIONS:
        write('{"jsonrpc": "2.0", "id": 1, "result": \n')
    if "noise" in OPTIONS:
        act(f"noise:{OPTIONS['noise']}")
    for line in sys.stdin:
        message = json.loads(line)
        if "method" in message:
            request(message)
        else:
            RESULTS[message["id"]] = message.get("error", message.get("result"))
            ANSWERS[message["id"]].set()
    if OPTIONS.get("eof") == "ignore":
        threading.Event().wait(60)


main()
