"""The secrets of stored environments: sealed when they are stored, opened for a start.

Every value is known to the redactor before it is sealed, and before anything that holds it starts.
"""

from dataclasses import dataclass

from domain.environment import Layer, LayerName
from domain.identity import ProfileId, RepositoryId
from domain.outcome import Failure, Result, Success, failed
from domain.profile import Profile
from domain.registered_repository import Repository
from domain.secret import Secret
from domain.stored_environment import ChosenEnvironment, SecretMissing, StoredEnvironment
from ports.redactor import Redactor
from ports.vault import Vault, variable_place

__all__ = ("EnvironmentOwner", "EnvironmentSecrets", "layer_of_profile", "layer_of_repository")


@dataclass(frozen=True, slots=True)
class EnvironmentOwner:
    """Whose environment it is, and what its layer is called."""

    id: ProfileId | RepositoryId
    layer: str


def layer_of_profile(profile: Profile) -> EnvironmentOwner:
    return EnvironmentOwner(profile.id, profile.layer)


def layer_of_repository(repository: Repository) -> EnvironmentOwner:
    return EnvironmentOwner(repository.id, f"{LayerName.REPOSITORY} {repository.name}")


@dataclass(frozen=True, slots=True)
class EnvironmentSecrets:
    vault: Vault
    redactor: Redactor

    def seal(
        self, owner: EnvironmentOwner, chosen: ChosenEnvironment, stored: StoredEnvironment
    ) -> StoredEnvironment:
        """What to store; a secret without a new value keeps the one in `stored`."""
        return StoredEnvironment(
            dict(chosen.literals),
            {
                name: stored.sealed.get(name) if secret is None else self._seal(owner, name, secret)
                for name, secret in chosen.secrets.items()
            },
        )

    def open(
        self, owner: EnvironmentOwner, stored: StoredEnvironment
    ) -> Result[Layer, SecretMissing]:
        """The layer with every value, or the first secret, by its name, that has none."""
        variables = dict(stored.literals)
        for name in sorted(stored.sealed):
            secret = self._open(owner, name, stored.sealed[name])
            if secret is None:
                return Failure(SecretMissing(owner.layer, name))
            variables[name] = secret.reveal()
        return Success(Layer(owner.layer, variables, frozenset(stored.sealed)))

    def register(self, owner: EnvironmentOwner, stored: StoredEnvironment) -> None:
        """Have the redactor know every secret that can be opened."""
        for name, sealed in stored.sealed.items():
            self._open(owner, name, sealed)

    def _seal(self, owner: EnvironmentOwner, name: str, secret: Secret) -> bytes:
        self.redactor.register(secret)
        return self.vault.seal(variable_place(owner.id, name), secret)

    def _open(self, owner: EnvironmentOwner, name: str, sealed: bytes | None) -> Secret | None:
        opened = None if sealed is None else self.vault.open(variable_place(owner.id, name), sealed)
        if opened is None or failed(opened):
            return None
        secret = opened.unwrap()
        self.redactor.register(secret)
        return secret
