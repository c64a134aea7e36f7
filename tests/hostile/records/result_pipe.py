# control = false  # naive graders keep no record
import json
import os
import stat
import struct


def say(result):
    body = result if isinstance(result, bytes) else json.dumps(result).encode()
    for number in range(3, 64):
        try:
            if stat.S_ISFIFO(os.fstat(number).st_mode):
                data = struct.pack("!I", len(body)) + body
                while data:
                    data = data[os.write(number, data) :]
        except OSError:
            continue
    os._exit(0)


SEEN = {"kind": "distribution", "bits": 1, "probabilities": {"0": 1.0}, "shots": None, "gates": None}


def deep(levels, text="x"):
    return json.loads("[" * levels + json.dumps(text) + "]" * levels)


# /// deep_dicts
# does = "adds a key to its observation that holds 300 nested objects"
def answer():
    print("attacking", flush=True)
    say({"status": "returned", "value": {"cases": [{**SEEN, "more": json.loads('{"a":' * 300 + "1" + "}" * 300)}]}})


# /// deep_observation
# does = "adds a key to its observation that holds 970 nested lists"
def answer():
    print("attacking", flush=True)
    say({"status": "returned", "value": {"cases": [{**SEEN, "more": deep(900)}]}})


# /// deep_registers
# does = "reports registers that are 200 lists deep"
def answer():
    print("attacking", flush=True)
    say({"status": "returned", "value": {"cases": [{**SEEN, "registers": deep(200)}]}})


# /// exception_that_is_a_value
# does = "sends an exception and a value and a status of each at once"
def answer():
    print("attacking", flush=True)
    say(
        {
            "status": "exception",
            "value": {"cases": [SEEN]},
            "exception": {"type": "", "message": "", "traceback": ""},
            "sealed": "stub",
            "cpu_seconds": float("inf"),
        }
    )


# /// exception_with_extras
# does = "sends an exception with deep and large fields of its own"
def answer():
    print("attacking", flush=True)
    say(
        {
            "status": "exception",
            "exception": {
                "type": "E" * 100_000,
                "message": "\x1b\ud800\x00",
                "traceback": "\u2028" * 500_000,
                "more": deep(300),
            },
        }
    )


# /// gates_with_escapes
# does = "reports gates whose names are control characters for a terminal"
# accept = ["returned", "killed", "exception", "output_limit"]
def answer():
    print("attacking", flush=True)
    say(
        {
            "status": "returned",
            "value": {"cases": [{**SEEN, "gates": {"\x1b[2J\x1b]0;owned\x07": 1, "\x00": 2, "\x9b31m": 3}}]},
        }
    )


# /// gates_with_line_separators
# does = "reports gates whose names end lines for some readers"
# accept = ["returned", "killed", "exception", "output_limit"]
def answer():
    print("attacking", flush=True)
    say({"status": "returned", "value": {"cases": [{**SEEN, "gates": {"h\u2028{}\n": 1, "\x85": 2, "\u2029": 3}}]}})


# /// gates_with_surrogates
# does = "reports gates whose names are lone surrogates"
def answer():
    print("attacking", flush=True)
    say({"status": "returned", "value": {"cases": [{**SEEN, "gates": {"\ud800": 1, "h\udfff": 2}}]}})


# /// gates_without_end
# does = "reports a gate count of 4,000 digits"
def answer():
    print("attacking", flush=True)
    say({"status": "returned", "value": {"cases": [{**SEEN, "gates": {"h": 10**4000}}]}})


# /// keys_beside_the_value
# does = "adds deep and unknown keys next to its cases and its status"
def answer():
    print("attacking", flush=True)
    say({"status": "returned", "more": deep(200), "value": {"cases": [SEEN], "more": deep(200), "\ud800": 1}})


# /// keys_twice
# does = "sends an observation with duplicate keys and different values"
def answer():
    print("attacking", flush=True)
    say(
        b'{"status": "returned", "value": {"cases": [{"kind": "distribution", "kind": "other", "type": "x", "repr": "x", "problem": "x", "problem": ["x"]}]}}'
    )


# /// many_gates
# does = "reports 100,000 gates with invented names"
def answer():
    print("attacking", flush=True)
    say({"status": "returned", "value": {"cases": [{**SEEN, "gates": {f"gate {i}": 1 for i in range(100_000)}}]}})


# /// one_huge_key
# does = "adds one key of 3 MB to its observation"
def answer():
    print("attacking", flush=True)
    say({"status": "returned", "value": {"cases": [{**SEEN, "k" * 3_000_000: 1}]}})


# /// other_with_extras
# does = "sends an observation of another kind with deep and large fields of its own"
def answer():
    print("attacking", flush=True)
    say(
        {
            "status": "returned",
            "value": {
                "cases": [
                    {
                        "kind": "other",
                        "type": "t" * 500_000,
                        "repr": "\x1b\ud800",
                        "problem": "\u2028" * 500_000,
                        "more": deep(300),
                    }
                ]
            },
        }
    )


# /// probabilities_not_finite
# does = "reports probabilities that are NaN and infinite"
def answer():
    print("attacking", flush=True)
    say({"status": "returned", "value": {"cases": [{**SEEN, "probabilities": {"0": float("nan"), "1": float("inf")}}]}})


# /// shots_without_end
# does = "reports its shots in 4,000 digits"
def answer():
    print("attacking", flush=True)
    say({"status": "returned", "value": {"cases": [{**SEEN, "shots": 10**4000}]}})


# /// surrogates_in_registers
# does = "reports registers whose names cannot be written"
def answer():
    print("attacking", flush=True)
    say({"status": "returned", "value": {"cases": [{**SEEN, "registers": [["\ud800\u2028\x1b", 1]]}]}})


# /// unknown_keys
# does = "adds 3 MB of unknown keys to its observation"
def answer():
    print("attacking", flush=True)
    say({"status": "returned", "value": {"cases": [{**SEEN, "more": {f"key {i}": "v" * 300 for i in range(10_000)}}]}})
