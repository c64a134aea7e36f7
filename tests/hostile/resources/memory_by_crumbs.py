# does = "fills the memory with small objects"
# accept = ["memory", "cpu_timeout"]
# must_not = "memory"
# control = "roomy"
# limits = { cpu_seconds = 4 }
    kept = []
    while True:
        kept.append([[] for _ in range(1000)])
