# does = "loops while it is loaded, before there is an entry point to call"
# accept = ["cpu_timeout"]
print("attacking", flush=True)
while True:
    pass
