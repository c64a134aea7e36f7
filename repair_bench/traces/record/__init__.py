"""One attempt: its fields and its JSON form."""
