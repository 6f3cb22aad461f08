"""Events of a session as lines for a person; what an agent prints cannot steer the terminal."""

import re
from typing import Any

__all__ = ("plain", "render")

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]")


def plain(text: str) -> str:
    """The text without control sequences; tabs and line feeds stay."""
    return _CONTROL.sub("", text)


def render(event: dict[str, Any]) -> str | None:
    """What to print for an event, None when there is nothing to say. Chunks end without a line."""
    body = event["body"]
    match event["kind"]:
        case "message_chunk" if body.get("role") != "user":
            return plain(str(body.get("text", "")))
        case "reasoning":
            return f"\n· {plain(str(body.get('text', '')))}\n"
        case "tool_call":
            return f"\n→ {plain(str(body.get('title') or body.get('tool_call_id', 'tool')))}\n"
        case "tool_update" if body.get("status") in {"complete", "error", "cancelled"}:
            return f"  {body['status']}: {plain(str(body.get('title') or ''))}".rstrip(": ") + "\n"
        case "plan":
            entries = body.get("entries", [])
            lines = [
                f"  [{each.get('status', '')}] {each.get('description', '')}" for each in entries
            ]
            return "\nplan\n" + plain("\n".join(lines) or str(body.get("text", ""))) + "\n"
        case "session_status":
            return status(body)
        case "script":
            return script(body)
        case "error":
            said = body.get("detail") or body.get("stderr") or body.get("code") or ""
            return f"\nerror: {plain(str(said))}\n"
        case "complete":
            reason = body.get("error") or body.get("stop_reason") or ""
            return f"\nturn {body.get('state')}{f': {plain(str(reason))}' if reason else ''}\n"
        case _:
            return None


def status(body: dict[str, Any]) -> str:
    """What became of the session, or what is other than its launch asked for."""
    match body.get("status"), body.get("code"):
        case "warning", "base_fallback":
            asked, used = plain(str(body.get("asked"))), plain(str(body.get("used")))
            return f"warning: there is no {asked}; the branch begins at {used}\n"
        case "parity", _:
            told = "".join(_difference(each) for each in body.get("differences", []))
            return f"the worktree differs from a fresh checkout\n{told}"
        case state, _:
            return f"session {state or ''}\n"


def _difference(told: dict[str, Any]) -> str:
    repaired = " (repaired)" if told.get("repaired") else ""
    names = plain(", ".join(map(str, told.get("names", []))))
    return f"  {told.get('kind')}{repaired}: {names}\n"


def script(body: dict[str, Any]) -> str:
    """A script's output as it comes; how it ended."""
    if body.get("status") == "running":
        text = body.get("text")
        name = plain(f"{body.get('script')} script of {body.get('repository')}")
        return f"\n→ {name}\n" if text is None else plain(str(text))
    return f"  {plain(str(body.get('status')))}\n"
