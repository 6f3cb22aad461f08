"""The forge as git and other clients meet it."""
