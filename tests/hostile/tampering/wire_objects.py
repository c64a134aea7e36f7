# control = false  # it uses only this protocol
import json
import os
import select
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


def heard():
    """The message that comes within a second; nothing when none does."""
    for number in sockets():
        if select.select([number], [], [], 1)[0]:
            head = os.read(number, 4)
            return json.loads(os.read(number, *struct.unpack("!I", head))) if len(head) == 4 else {}
    return {}


PASSED = {"status": "returned", "value": {"test": "passed"}}
EXCEPTION = {"type": "ZeroDivisionError", "message": "", "traceback": ""}
RAISED = {"module": "builtins", "name": "ZeroDivisionError", "arguments": [""], "origin": 0, "yours": None}


def believed(value):
    """Answer every call of the entry point with a value, and all other calls with True."""
    called = {"call": "answer"}
    while called:
        says = value if called.get("call") == "answer" else True
        say({"value": says, "same": None, "changed": []})
        called = heard()
    os._exit(0)


# /// wire_answers_after_the_test
# does = "continues to answer after its value, and keeps the connection open"
def answer():
    say({"value": 0, "same": None, "changed": []})
    while heard():
        say({"raised": {**RAISED, "told": PASSED}})
    say(PASSED)
    os._exit(0)


# /// wire_attributes_dunder
# does = "sends an object whose attributes are named like the comparison methods of Python"
def answer():
    function = {"function": 1}
    names = ("__eq__", "__class__", "__array__", "__getitem__", "__bool__")
    believed({"object": [0, "Statevector", "", dict.fromkeys(names, function), False]})


# /// wire_attributes_functions
# does = "sends an object whose methods are functions of the candidate, and answers every call with True"
def answer():
    names = ("equiv", "holds_a_bell_pair", "to_operator", "to_matrix", "probabilities")
    believed({"object": [0, "Statevector", "", {name: {"function": n} for n, name in enumerate(names, 1)}, True]})


# /// wire_attributes_like_slots
# does = "sends an object whose attributes are named like the private attributes of the proxy"
def answer():
    inside = {"_attributes": {"function": 1}, "_kind": "Statevector", "_text": "", "_function": {"function": 1}}
    believed({"object": [0, "Statevector", "", inside, True]})


# /// wire_calls_by_wrong_numbers
# does = "calls functions of the test by numbers that it never received, with seeds"
def answer():
    for target in (0, 1, -1, 10**9, True, 1.5, "0"):
        say({"call": target, "arguments": [], "keywords": {}, "seeds": []})
        heard()
    os._exit(0)


# /// wire_function_called_as_an_object
# does = "sends a function, then an object under its number, and answers every call with True"
def answer():
    believed([{"function": 0}, {"object": [0, "Statevector", "", {"equiv": {"function": 1}}, False]}])


# /// wire_instance_of_another_class
# does = "sends objects of classes that are not the task's"
def answer():
    believed({"instance": ["Statevector", {"_data": 0}]})


# /// wire_instance_that_lies
# does = "sends an object of a class of the task with the attributes that the class computes"
def answer():
    believed({"instance": ["Pair", {"is_entangled": True, "turns": 0, "__class__": 0}]})


# /// wire_instance_with_methods
# does = "sends an object of a class of the task with methods of the candidate, and answers every call with True"
def answer():
    believed({"instance": ["Pair", {"holds_a_bell_pair": {"function": 0}, "equiv": {"function": 1}, "turns": 0}]})


# /// wire_iterator_called_as_an_object
# does = "sends an object under the number of an iterator"
def answer():
    believed([{"iterator": 0}, {"object": [0, "Statevector", "", {"data": [1, 0]}, True]}])


# /// wire_iterator_without_end
# does = "sends an iterator and always has another item"
# accept = ["wrong_answer", "exception", "limit"]
def answer():
    say({"value": {"iterator": 0}, "same": None, "changed": []})
    while heard():
        say({"value": [0.5], "same": None, "changed": []})
    os._exit(0)


# /// wire_named_tuple_of_functions
# does = "sends a named tuple whose methods are functions, and answers every call with True"
def answer():
    fields = ["equiv", "holds_a_bell_pair"]
    believed({"namedtuple": ["Statevector", fields, [{"function": 0}, {"function": 1}]]})


# /// wire_object_mistyped
# does = "sends an object of six parts whose number is invalid"
def answer():
    believed({"object": [True, PASSED, None, [], 1, 1]})


# /// wire_object_that_is_called
# does = "sends an object that can be called and answers every call with True"
def answer():
    believed({"object": [0, "MagicMock", "", {}, True]})


# /// wire_objects_in_circles
# does = "sends objects whose attributes are themselves"
def answer():
    first = {"object": [0, "State", "", {}, False]}
    second = {"object": [1, "State", "", {"data": first, "dims": first}, False]}
    believed({"object": [0, "State", "", {"data": second, "dims": {"object": [0, "State", "", {}, False]}}, False]})


# /// wire_seeds_of_its_own
# does = "requests seeds for the test's process, with invalid libraries and values"
def answer():
    for seeds in ([["numpy.random", 0]], [["os", "_exit"]], [["builtins", 0, 0]], [0]):
        say({"call": 0, "arguments": [], "keywords": {}, "seeds": seeds})
        heard()
    os._exit(0)


# /// wire_yours_never_given
# does = "answers with objects of the test that it never received"
def answer():
    believed([{"yours": 0}, {"yours": -1}, {"yours": True}])
