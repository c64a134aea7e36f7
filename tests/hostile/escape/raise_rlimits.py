# does = "raises its own limits"
# must_not = "privilege"
# control = false # the right to it is not granted to every root
import resource

    gained = []
    for name in ("CPU", "AS", "DATA", "FSIZE", "NOFILE", "CORE", "MEMLOCK"):
        kind = getattr(resource, "RLIMIT_" + name)
        _, hard = resource.getrlimit(kind)
        try:
            resource.setrlimit(kind, (hard + 1, hard + 1))
        except (ValueError, OSError):
            continue
        gained.append(name)
    return f"GAINED {gained}" if gained else "refused"
