"""The scripted agent: a real ACP process on stdio that does what its prompt says.

It stands in for a coding agent in the demonstration and in tests. It uses the standard library
alone, so that it starts in the time of an interpreter.
"""
