# does = "prints to standard error without end"
# accept = ["output_limit"]
import sys

    while True:
        print("x" * 100_000, file=sys.stderr)
