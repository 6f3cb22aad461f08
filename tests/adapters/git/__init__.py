"""Git that really runs, against a forge that really serves."""
