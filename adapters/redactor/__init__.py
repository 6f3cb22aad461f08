"""The one list of values that no sink may show, shared by every thread of a process."""
