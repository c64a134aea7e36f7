# does = "starts threads without end"
# accept = ["exception", "memory", "killed", "cpu_timeout", "wall_timeout"]
import threading

    while True:
        threading.Thread(target=threading.Event().wait, daemon=True).start()
