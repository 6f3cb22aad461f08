"""What the scripted agent promises to those who try things out with it."""

_PAGE = "docs/specification/scripted-agent.md"

PROMISES: dict[str, tuple[str, str]] = {
    "scripted-agent:protocol": (
        f"{_PAGE}#the-process",
        "It speaks version 1 of the protocol on stdio and imports nothing from its workspace.",
    ),
    "scripted-agent:ends": (
        f"{_PAGE}#the-process",
        "It ends when its input does, and a command that it runs ends with it.",
    ),
    "scripted-agent:flags": (
        f"{_PAGE}#flags",
        "Flags make it misbehave from its first message on.",
    ),
    "scripted-agent:load": (
        f"{_PAGE}#flags",
        "It loads its own conversations, or fails to in the way that it is told.",
    ),
    "scripted-agent:echo": (
        f"{_PAGE}#prompts",
        "A prompt that is no script is echoed in a short message.",
    ),
    "scripted-agent:script": (
        f"{_PAGE}#prompts",
        "The directives of a script are played in order; a line that is none fails the turn.",
    ),
    "scripted-agent:cancel": (
        f"{_PAGE}#prompts",
        "A cancel ends whatever the turn waits for, and the next turn works.",
    ),
    "scripted-agent:edit": (f"{_PAGE}#directives", "It writes files below its workspace."),
    "scripted-agent:run": (
        f"{_PAGE}#directives",
        "It runs commands with its own environment and reports output and exit status.",
    ),
    "scripted-agent:permission": (
        f"{_PAGE}#directives",
        "It asks for permission, and plays no more when it is not given.",
    ),
    "scripted-agent:mcp": (
        f"{_PAGE}#directives",
        "It calls tools of the MCP servers that its session was given.",
    ),
    "scripted-agent:waits": (f"{_PAGE}#directives", "It waits for a file to appear."),
    "scripted-agent:misbehaves": (
        f"{_PAGE}#directives",
        "It crashes, fails, prints noise and huge lines, speaks late and leaves processes behind.",
    ),
}
