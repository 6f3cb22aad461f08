"""A tiny MCP server on stdio: `add` adds, `hang` never answers, any other tool is an error."""

import json
import sys
import time
from typing import Any


def _result(message: dict[str, Any]) -> dict[str, Any]:
    if message["method"] == "initialize":
        return {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {}}
    tool = message["params"]["name"]
    if tool == "hang":
        time.sleep(600)
    if tool == "add":
        total = sum(message["params"]["arguments"]["numbers"])
        return {"content": [{"type": "text", "text": str(total)}]}
    return {"content": [{"type": "text", "text": "no such tool"}], "isError": True}


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": _result(message)}
            print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message"}))
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
