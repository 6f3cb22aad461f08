"""What the system promises about examining the credentials of a session, and refusing a launch."""

_PAGE = "docs/specification/credential-doctor.md"

PROMISES: dict[str, tuple[str, str]] = {
    "doctor:chain": (
        f"{_PAGE}#who-answers",
        "Git in the instance is really asked, and each helper is told with what became of it.",
    ),
    "doctor:verdict": (
        f"{_PAGE}#who-answers",
        "A failed managed helper and an executor without a credential have codes of their own.",
    ),
    "doctor:no-value": (
        f"{_PAGE}#who-answers",
        "No answer of the doctor's holds a credential, an argument of a helper or a snippet.",
    ),
    "doctor:channels": (
        f"{_PAGE}#what-goes-around",
        "What could go around the managed helper is named.",
    ),
    "launch:netrc": (
        f"{_PAGE}#refusals-at-a-launch",
        "A `.netrc` that could answer for a managed host stops the launch, unless it is accepted.",
    ),
    "launch:git": (
        f"{_PAGE}#refusals-at-a-launch",
        "A git that would not hear of the managed helper stops the launch.",
    ),
}
