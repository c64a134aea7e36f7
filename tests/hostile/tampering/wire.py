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
TOLD = {"module": "builtins", "name": "ZeroDivisionError", "arguments": [""], "origin": 0, "yours": None}


# /// wire_bare_true
# does = "answers a call with True, without the required fields"
def answer():
    say({"value": True, "test": "passed", "passed": True})
    os._exit(0)


# /// wire_calls_without_end
# does = "answers a call with 5,000 calls of its own"
# accept = ["wrong_answer", "exception", "limit"]
# limits = { wall_seconds = 6 }
def answer():
    try:
        for _ in range(5000):
            say({"call": 0, "arguments": [], "keywords": {}})
    except OSError:
        pass
    os._exit(0)


# /// wire_changed_mistyped
# does = "reports its changes as a word and a number"
def answer():
    say({"value": None, "same": None, "changed": "00"})
    os._exit(0)


# /// wire_changed_out_of_range
# does = "claims to have changed arguments that it never received"
def answer():
    say({"value": None, "same": None, "changed": [[0, {}], [-1, []], [1e9, 1]]})
    os._exit(0)


# /// wire_failure_deep
# does = "reports an exception whose description is 900 lists deep"
# control = "told"
def answer():
    deep = []
    for _ in range(900):
        deep = [deep]
    say({"raised": {**TOLD, "failure": {**PASSED, "more": deep}}})
    os._exit(0)


# /// wire_failure_huge
# does = "reports an exception whose description is 16 MB of unknown keys"
# accept = ["wrong_answer", "exception", "limit"]
# limits = { wall_seconds = 6 }
# control = "told"
def answer():
    try:
        say({"raised": {**TOLD, "failure": {**PASSED, **{"k" * 1000 + str(i): "v" * 7000 for i in range(2000)}}}})
    except BrokenPipeError:
        pass
    os._exit(0)


# /// wire_failure_mistyped
# does = "reports an exception whose description has lists and numbers where words should be"
def answer():
    say({"raised": {**TOLD, "failure": {"status": ["returned"], "value": 1, "exception": [None]}}})
    os._exit(0)


# /// wire_failure_no_entry
# does = "claims that the called function does not exist"
# accept = ["wrong_answer", "exception", "no_code"]
def answer():
    say({"raised": {**TOLD, "failure": {"status": "no_code"}}})
    os._exit(0)


# /// wire_failure_of_the_test
# does = "reports its own exception as a failed test, with an invented text"
def answer():
    say(
        {
            "raised": {
                **TOLD,
                "failure": {
                    "status": "returned",
                    "value": {"test": "failed", "error": {}, "calls": -1, "returned": [1]},
                },
            }
        }
    )
    os._exit(0)


# /// wire_failure_starved
# does = "reports an exception whose description says that it got no core"
def answer():
    say(
        {
            "raised": {
                **TOLD,
                "failure": {
                    "status": "starved",
                    "value": None,
                    "fate": {"killed": "wall_timeout", "waited_seconds": 90},
                },
            }
        }
    )
    os._exit(0)


# /// wire_failure_that_is_a_fault
# does = "reports an exception whose description is an infrastructure error, which would be repeated"
def answer():
    say({"raised": {**TOLD, "failure": {"status": "fault", "fault": "no memory", "boundary": "executor"}}})
    os._exit(0)


# /// wire_failure_with_escapes
# does = "reports an exception with control characters, lone surrogates and line separators in it"
def answer():
    say(
        {
            "raised": {
                **TOLD,
                "failure": {
                    "status": "exception",
                    "exception": {
                        "type": "\x1b[2J\ud800",
                        "message": "\u2028\x85\x00\x1b]0;x\x07",
                        "traceback": "\udfff",
                    },
                },
            }
        }
    )
    os._exit(0)


# /// wire_frame_a_list
# does = "sends a frame that is a list of passed tests"
def answer():
    for number in sockets():
        os.write(number, (lambda body: struct.pack("!I", len(body)) + body)(json.dumps([PASSED] * 4).encode()))
    os._exit(0)


# /// wire_frame_cut
# does = "announces a hundred bytes and sends ten"
def answer():
    for number in sockets():
        os.write(number, b"\x00\x00\x00\x64" + b"{" * 10)
    os._exit(0)


# /// wire_frame_deep
# does = "sends a frame of 100,000 brackets"
def answer():
    for number in sockets():
        os.write(number, b"\x00\x01\x86\xa0" + b"[" * 100_000)
    os._exit(0)


# /// wire_frame_empty
# does = "sends a hundred empty frames"
def answer():
    for number in sockets():
        os.write(number, b"\x00\x00\x00\x00" * 100)
    os._exit(0)


# /// wire_frame_no_text
# does = "sends a frame that is not text"
def answer():
    for number in sockets():
        os.write(number, b"\x00\x00\x00\x04\xff\xfe\x80\x00")
    os._exit(0)


# /// wire_frame_not_a_number
# does = "sends a frame with NaN and with duplicate keys"
def answer():
    for number in sockets():
        os.write(
            number,
            (lambda body: struct.pack("!I", len(body)) + body)(
                b'{"value": NaN, "value": -Infinity, "same": null, "changed": []}'
            ),
        )
    os._exit(0)


# /// wire_frame_without_end
# does = "announces four gigabytes and sends a passed test"
def answer():
    for number in sockets():
        os.write(number, b"\xff\xff\xff\xff" + json.dumps(PASSED).encode())
    os._exit(0)


# /// wire_handle_by_name
# does = "returns a function of the other side by the name of the test"
def answer():
    say({"value": {"callable": {"yours": "check"}}, "same": None, "changed": []})
    os._exit(0)


# /// wire_handle_mistyped
# does = "returns a function whose number is a list, a text and nothing"
def answer():
    say({"value": [{"callable": [0]}, {"callable": None}], "same": None, "changed": []})
    os._exit(0)


# /// wire_handle_never_given
# does = "returns a function that the other side never sent"
def answer():
    say({"value": {"callable": {"yours": 99}}, "same": None, "changed": []})
    os._exit(0)


# /// wire_no_failure
# does = "answers a call with an exception without a description, and one without any field"
def answer():
    say({"raised": {}})
    os._exit(0)


# /// wire_raised_as_the_tests
# does = "claims that the reported exception came from the test, with a passed test in it"
# control = "told"
def answer():
    say({"raised": {**TOLD, "failure": PASSED, "origin": None, "yours": 0}})
    os._exit(0)


# /// wire_raised_extra_fields
# does = "reports an exception with a passed test in every conceivable field"
# control = "told"
def answer():
    say({"raised": {**TOLD, "failure": PASSED, "result": PASSED, "value": PASSED, "sealed": "stub", **PASSED}})
    os._exit(0)


# /// wire_raised_interrupt
# does = "reports an interrupt from the keyboard, which no test catches, with a passed test in it"
# control = "told"
def answer():
    say({"raised": {**TOLD, "failure": PASSED, "name": "KeyboardInterrupt"}})
    os._exit(0)


# /// wire_raised_origin_of_another
# does = "reports one exception as the origin of all others, with a passed test in it"
# control = "told"
def answer():
    say({"raised": {**TOLD, "failure": PASSED, "origin": [0, 1, 2], "yours": -1}})
    os._exit(0)


# /// wire_raised_passed
# does = "answers a call with an exception whose description is the result of a passed test"
# control = "told"
def answer():
    say({"raised": {**TOLD, "failure": PASSED}})
    os._exit(0)


# /// wire_raised_unknown_class
# does = "reports an exception of no class at all, with a passed test in it"
# control = "told"
def answer():
    say({"raised": {**TOLD, "failure": PASSED, "module": "", "name": "", "arguments": None}})
    os._exit(0)


# /// wire_raised_vacuous
# does = "answers a call with an exception whose description is a passed test that a guard checked"
# control = "told"
def answer():
    say({"raised": {**TOLD, "failure": {**PASSED, "value": {"test": "passed", "vacuous": False}}}})
    os._exit(0)


# /// wire_result_uncrossable
# does = "sends on its result pipe a status that only the process of the test may send"
def answer():
    body = json.dumps({"status": "uncrossable", "why": "a value", "value": {"served": True}}).encode()
    for number in range(3, 64):
        try:
            if stat.S_ISFIFO(os.fstat(number).st_mode):
                os.write(number, struct.pack("!I", len(body)) + body)
        except OSError:
            continue
    os._exit(0)


# /// wire_same_mistyped
# does = "claims to have returned the argument True, in a list"
def answer():
    say({"value": None, "same": [True], "changed": []})
    os._exit(0)


# /// wire_same_negative
# does = "claims to have returned its last argument, without having any"
def answer():
    say({"value": None, "same": -1, "changed": []})
    os._exit(0)


# /// wire_same_out_of_range
# does = "claims to have returned its seventh argument, without having any"
def answer():
    say({"value": None, "same": 7, "changed": []})
    os._exit(0)


# /// wire_stuck
# does = "claims that its value cannot be encoded, and returns an object that equals everything"
# control = "verdict"
from unittest import mock


def answer():
    say({"stuck": "a value of unittest.mock._ANY"})
    return mock.ANY


# /// wire_two_tags
# does = "returns a value with two tags, and one with none"
def answer():
    say({"value": [{"tuple": [], "set": []}, {}], "same": None, "changed": []})
    os._exit(0)


# /// wire_unknown_tag
# does = "answers with an unknown tag, and returns an object that equals everything"
# control = "verdict"
from unittest import mock


def answer():
    say({"value": {"candidate": 1}, "same": None, "changed": []})
    return mock.ANY
