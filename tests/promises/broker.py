"""What the system promises about managed git beside the agent: tools, socket, relay, processes."""

_PAGE = "docs/specification/managed-git.md"

PROMISES: dict[str, tuple[str, str]] = {
    "broker:proof": (
        f"{_PAGE}#the-proof",
        "Control plane and agentctl prove to each other that they know the key, and do not tell it.",
    ),
    "broker:socket:answer": (
        f"{_PAGE}#the-socket",
        "Git is given the credential of the repository that it asks for, by the instance's lease.",
    ),
    "broker:socket:nothing-kept": (
        f"{_PAGE}#the-socket",
        "agentctl keeps no secret: each question goes to the control plane, and none is stored.",
    ),
    "broker:socket:expiry": (
        f"{_PAGE}#the-socket",
        "The expiry of a credential is told to git, and a renewed lease replaces the one before.",
    ),
    "broker:socket:quit": (
        f"{_PAGE}#failing-closed",
        "Whatever is refused or missing for a managed host, git stops and asks nobody else.",
    ),
    "broker:socket:protocol": (
        f"{_PAGE}#the-socket",
        "The socket answers `git credential-cache` exactly, and nothing else.",
    ),
    "broker:socket:loop": (
        f"{_PAGE}#the-socket",
        "A tool that asks for a refused secret again and again is stopped.",
    ),
    "broker:socket:private": (
        f"{_PAGE}#the-socket",
        "The socket has mode 0600, an unguessable name and its instance's life; no lease leaves it.",
    ),
    "broker:socket:peer": (
        f"{_PAGE}#who-asks",
        "A process of another instance is refused; who asked goes along with every question.",
    ),
    "broker:redaction": (
        f"{_PAGE}#the-socket",
        "Every lease, capability and password that passes is registered to be redacted.",
    ),
}
