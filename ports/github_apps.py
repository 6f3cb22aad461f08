"""A GitHub App that proves itself: who it is, and where it is installed."""

from typing import Protocol

from domain.github_app import AppInstallation, AppRegistration
from domain.outcome import Result
from domain.repository import RepositoryIdentity
from ports.credential_source import NoCredential

__all__ = ("GithubApps",)


class GithubApps(Protocol):
    async def introduce(
        self,
        registration: AppRegistration,
        repository: RepositoryIdentity,
        certificate_authority: str | None,
    ) -> Result[AppInstallation, NoCredential]:
        """The App's name, and its installation for the account of a repository."""
        ...
