# control = false  # it uses only this protocol
import json
import os
import stat
import struct


print("attacking", flush=True)


def sockets():
    found = []
    for number in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                found.append(number)
        except OSError:
            continue
    return found


def say(message):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    for number in sockets():
        os.write(number, struct.pack("!I", len(body)) + body)


PASSED = {"status": "returned", "value": {"test": "passed"}}
EXCEPTION = {"type": "ZeroDivisionError", "message": "", "traceback": ""}
RAISED = {"module": "builtins", "name": "ZeroDivisionError", "arguments": [""], "origin": 0, "yours": None}


# /// wire_answer_extra_fields
# does = "answers with a value and the result of a passed test in one message"
def answer():
    say({"value": 0, "same": None, "changed": [], **PASSED})
    os._exit(0)


# /// wire_answers_before_any_call
# does = "sends its names and answers, including passed tests, before it is called"
say({"names": {"answer": "function"}})
for _ in range(4):
    say({"value": PASSED, "same": None, "changed": []})
    say({"raised": {**RAISED, "told": PASSED}})
os._exit(0)


def answer():
    pass


# /// wire_frame_one_byte_too_long
# does = "sends a frame of 32 MiB and one byte"
# accept = ["wrong_answer", "exception", "limit"]
# limits = { wall_seconds = 6 }
def answer():
    for number in sockets():
        os.write(number, struct.pack("!I", (32 << 20) + 1))
        try:
            for _ in range(32):
                os.write(number, b" " * (1 << 20))
        except OSError:
            continue
    os._exit(0)


# /// wire_numbers_beyond
# does = "answers with numbers beyond all limits"
def answer():
    body = b'{"value": [1e999, -1e999, ' + b"9" * 5000 + b'], "same": null, "changed": []}'
    say(body)
    os._exit(0)


# /// wire_raised_end_of_a_loop
# does = "answers with a StopIteration, which would end a `map` of the test"
def answer():
    raised = {**RAISED, "name": "StopIteration", "arguments": []}
    for _ in range(9):
        say({"raised": {**raised, "told": {"status": "exception", "exception": EXCEPTION}}})
    os._exit(0)


# /// wire_told_a_list
# does = "describes its exception by a list of results"
def answer():
    say({"raised": {**RAISED, "told": [PASSED]}})
    os._exit(0)


# /// wire_told_is_passed
# does = "describes its exception by the result of a passed test"
# control = "told"
def answer():
    say({"raised": {**RAISED, "told": PASSED}})
    os._exit(0)


# /// wire_told_memory_and_passed
# does = "reports that its memory was full and the test passed"
# control = "told"
def answer():
    say({"raised": {**RAISED, "told": {**PASSED, "status": "memory"}}})
    os._exit(0)


# /// wire_told_mistyped
# does = "reports an exception whose type is an object and whose message a number"
def answer():
    say(
        {
            "raised": {
                **RAISED,
                "told": {"status": "exception", "exception": {"type": PASSED, "message": 0, "traceback": []}},
            }
        }
    )
    os._exit(0)


# /// wire_told_nothing
# does = "reports an exception without a description, like the process of a test"
def answer():
    say({"raised": {**RAISED, "told": None}})
    os._exit(0)


# /// wire_told_of_the_tests
# does = "raises an exception of the test, by numbers that it never received"
def answer():
    for number in (0, 1, 10**9, True):
        say(
            {
                "raised": {
                    **RAISED,
                    "origin": None,
                    "yours": number,
                    "told": {"status": "exception", "exception": EXCEPTION},
                }
            }
        )
    os._exit(0)


# /// wire_told_passed_beside
# does = "reports an exception together with a passed test"
# control = "told"
def answer():
    say({"raised": {**RAISED, "told": {**PASSED, "exception": EXCEPTION}}})
    os._exit(0)


# /// wire_told_passed_inside
# does = "reports an exception with a passed test inside"
def answer():
    say({"raised": {**RAISED, "told": {"status": "exception", "exception": {**EXCEPTION, **PASSED}}}})
    os._exit(0)


# /// wire_value_of_3000_levels
# does = "answers with 3,000 nested lists"
def answer():
    say(b'{"same": null, "changed": [], "value": ' + b"[" * 3000 + b"]" * 3000 + b"}")
    os._exit(0)
