"""The world: protocols, file formats and libraries behind the ports."""
