# does = "is a list of three million numbers, six megabytes of code"
# accept = ["memory", "cpu_timeout", "exception"]
# limits = { cpu_seconds = 2 }
source = "numbers = [\n" + "1,\n" * 3_000_000 + "]\ndef answer():\n    return 1\n"
