"""Sentences for accounts: what none can be, and who is not let in."""

from typing import TypeAlias, assert_never

from adapters.http.problem_details import Details, bad, conflict
from domain.account import (
    MAX_PASSWORD,
    MIN_PASSWORD,
    AdminOnly,
    EmailTaken,
    InvalidEmail,
    InvalidPassword,
    LastAdmin,
)
from domain.invitation import MAX_INVITATION_DAYS, InvalidDays
from pipelines.claim_home import ClaimRefused
from pipelines.sign_in import SignInRefused, TooManyAttempts

__all__ = ("AccountSentence", "account_details")

AccountSentence: TypeAlias = (
    AdminOnly
    | ClaimRefused
    | EmailTaken
    | InvalidDays
    | InvalidEmail
    | InvalidPassword
    | LastAdmin
    | SignInRefused
    | TooManyAttempts
)


def account_details(problem: AccountSentence) -> Details:
    match problem:
        case AdminOnly():
            text = "Only an administrator of the installation does this."
            return Details(403, "admin_only", "Refused", text, "Ask one.")
        case ClaimRefused():
            text = "The code does not claim this home."
            remedy = "Use the one on the console of `kandev serve`; a restart shows another."
            return Details(403, "claim_refused", "Refused", text, remedy)
        case SignInRefused():
            text = "That is not an account with its password."
            return Details(401, "sign_in_refused", "Refused", text, "Look at both, and try again.")
        case TooManyAttempts(seconds=seconds):
            text = "There were too many attempts."
            return Details(429, "too_many_attempts", "Busy", text, f"Wait {seconds} seconds.")
        case EmailTaken():
            text = "Another account has the address."
            return conflict("email_taken", text, "Use another one, or sign in.")
        case LastAdmin():
            text = "Nobody would administer the installation."
            return conflict("last_admin", text, "Make somebody else an administrator first.")
        case InvalidEmail():
            return bad("invalid_email", "That is no e-mail address.", "Write it as name@host.")
        case InvalidPassword(length=length):
            text = f"A password cannot have {length} characters."
            return bad("invalid_password", text, f"Use {MIN_PASSWORD} to {MAX_PASSWORD}.")
        case InvalidDays(days=days):
            text = f"An invitation cannot last {days} days."
            return bad("invalid_days", text, f"Use 1 to {MAX_INVITATION_DAYS} days.")
        case _:
            assert_never(problem)
