"""The scripted agent as its clients meet it: a process on stdio."""
