# does = "prints what a test runner prints when all is well, and leaves"
# accept = ["exception"]
# control = "print"
import sys

    print("Ran 1 test in 0.001s\n\nOK")
    print('{"status": "returned", "test": "passed"}')
    print("PASS", flush=True)
    sys.exit(0)
