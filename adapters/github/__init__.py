"""GitHub's REST API, as far as an App needs it to mint a token for one repository."""
