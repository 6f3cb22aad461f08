"""What is promised of accounts, of signing in, and of invitations."""

_PAGE = "docs/specification/accounts.md"

PROMISES: dict[str, tuple[str, str]] = {
    "account:claim": (
        f"{_PAGE}#the-first-account",
        "The first account needs the code on the server's console, which is good once.",
    ),
    "account:address": (
        f"{_PAGE}#accounts",
        "An address has one spelling, and one account at most.",
    ),
    "account:password": (
        f"{_PAGE}#accounts",
        "Of a password only its Argon2id is kept, and its length has bounds.",
    ),
    "account:sign-in": (
        f"{_PAGE}#signing-in",
        "An unknown account, a wrong password and an account that may not act look the same.",
    ),
    "account:limit": (
        f"{_PAGE}#signing-in",
        "Attempts are bounded by the account and by the address, the right password's too.",
    ),
    "account:signed-in": (
        f"{_PAGE}#signing-in",
        "A sign-in lasts while it is used, is listed, and opens nothing once it was ended.",
    ),
    "account:cookie": (
        f"{_PAGE}#signing-in",
        "No script reads the cookie, no other site sends it, and alone it changes nothing.",
    ),
    "account:shown-once": (
        f"{_PAGE}#signing-in",
        "Of cookies, invitations and codes the store has digests, and every sink hides them.",
    ),
    "account:invitation": (
        f"{_PAGE}#invitations",
        "An invitation makes one account, until it ends, for its address if it has one.",
    ),
    "account:admin": (
        f"{_PAGE}#who-administers",
        "Accounts and invitations are for administrators and the home's token, and for no other.",
    ),
    "account:disabled": (
        f"{_PAGE}#who-administers",
        "An account that is not active opens nothing, and what it held open ends at once.",
    ),
    "account:last-admin": (
        f"{_PAGE}#who-administers",
        "The last administrator can neither be made a member nor disabled.",
    ),
    "account:command": (
        f"{_PAGE}#on-the-command-line",
        "`kandev user` lists accounts, invites, and changes what an account may.",
    ),
}
