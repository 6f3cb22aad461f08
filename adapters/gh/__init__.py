"""Accounts of the GitHub CLI that the user has signed in on this machine."""
