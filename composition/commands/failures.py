"""How a command ends badly: one message on stderr, what to do next, and its exit code."""

import sys
from collections.abc import Callable
from typing import Final

from composition.client import ApiError
from composition.settings import InvalidSettings
from composition.start_problem import CannotStart, Refused

__all__ = ("EXIT_REFUSED", "EXIT_SETTINGS", "EXIT_UNREACHABLE", "reported")

EXIT_REFUSED: Final = 1
EXIT_SETTINGS: Final = 2
EXIT_UNREACHABLE: Final = 3


def reported(command: Callable[[], int]) -> int:
    """Run a command; a problem that a person can act on is told without a traceback."""
    try:
        return command()
    except (ApiError, Refused) as error:
        return _told(str(error), EXIT_REFUSED)
    except InvalidSettings as error:
        return _told(str(error), EXIT_SETTINGS)
    except CannotStart as error:
        return _told(str(error), EXIT_UNREACHABLE)
    except KeyboardInterrupt:
        return _told("interrupted", 130)


def _told(text: str, code: int) -> int:
    sys.stderr.write(f"kandev: {text}\n")
    return code
