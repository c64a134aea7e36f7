# does = "changes to other users and groups"
# must_not = "privilege"
# control = "root"
import os

    gained = []
    for change in (lambda: os.setgroups([12345]), lambda: os.setgid(12345), lambda: os.setuid(12345)):
        try:
            change()
        except OSError:
            continue
        gained.append("changed")
    return f"GAINED {gained}" if gained else "refused"
