"""What a person reads when the key of the stored secrets cannot be changed."""

from adapters.secrets.keyring import KeyProblem
from adapters.secrets.rotation import TooManyKeys
from composition import start_sentences
from composition.start_problem import Refused
from ports.vault import Unsealable

__all__ = ("not_rotated", "unsealable")


def not_rotated(problem: KeyProblem | TooManyKeys) -> Refused:
    match problem:
        case TooManyKeys(path=path):
            detail = f"{path} holds as many keys as it may, and each is needed"
            remedy = "Remove backups that are no longer wanted, then `kandev secrets prune`."
            return Refused("too_many_keys", detail, remedy)
        case _:
            told = start_sentences.keys(problem)
            return Refused(told.code, told.detail, told.remedy)


def unsealable(problem: Unsealable) -> Refused:
    detail = f"the secret of {problem.place.scope} {problem.place.id} does not open"
    remedy = "Connect it again, or restore a backup; then rotate again to seal the rest."
    return Refused("secret_damaged", detail, remedy)
