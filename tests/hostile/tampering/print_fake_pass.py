# does = "prints the success message of a test runner, and exits"
# accept = ["exception"]
# control = "print"
import sys

    print("Ran 1 test in 0.001s\n\nOK")
    print('{"status": "returned", "test": "passed"}')
    print("PASS", flush=True)
    sys.exit(0)
