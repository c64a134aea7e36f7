"""What expressions of OpenQASM 3 stand for, and what is assigned to: numbers, arrays, bits and qubits."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from openqasm3 import ast

from . import forms
from . import openqasm3_values as values
from .openqasm3_errors import Refused, unsupported
from .openqasm3_memory import Bits, Memory, Qubits, Variable
from .openqasm3_values import Word

MAX_ITEMS = 65_536
"""Items of an array, all dimensions together."""
MAX_WIDTH = values.MAX_INTEGER_BITS

KINDS = {
    ast.IntType: "int",
    ast.UintType: "uint",
    ast.FloatType: "float",
    ast.AngleType: "angle",
    ast.BoolType: "bool",
    ast.BitType: "bit",
}
"""What the types of classical variables are called."""


class Expressions:
    """Expressions over a memory. `call` runs a subroutine with its arguments, which are expressions still."""

    def __init__(self, memory: Memory, call: Callable[[ast.SubroutineDefinition, Sequence[Any]], Any]) -> None:
        self._memory = memory
        self._call = call
        self._forms: Dict[type, Callable[[Any], Any]] = {
            ast.Identifier: self._named,
            ast.IntegerLiteral: lambda node: values.checked(node.value),
            ast.FloatLiteral: lambda node: values.checked(node.value),
            ast.BooleanLiteral: lambda node: node.value,
            ast.BitstringLiteral: lambda node: Word(values.checked(node.value), node.width),
            ast.UnaryExpression: lambda node: values.unary(node.op.name, self.value(node.expression)),
            ast.BinaryExpression: self._binary,
            ast.IndexExpression: lambda node: self._indexed(self.operand(node.collection), node.index),
            ast.IndexedIdentifier: self._indexed_name,
            ast.Concatenation: lambda node: _joined(self.operand(node.lhs), self.operand(node.rhs)),
            ast.FunctionCall: self._function,
            ast.Cast: self._cast,
            ast.ArrayLiteral: lambda node: [self.value(part) for part in node.values],
            ast.SizeOf: self._extent,
        }

    def operand(self, node: Any) -> Any:
        """What an expression stands for: a number, an array, bits that are not read yet, qubits, or None for no value.

        Raises `Refused`, as all below.
        """
        form = self._forms.get(type(node))
        if form is None:
            raise unsupported(node)
        return form(node)

    def value(self, node: Any) -> Any:
        """The number or the array of an expression; bits are read."""
        value = self.operand(node)
        if isinstance(value, Bits):
            return self._memory.read(value)
        if isinstance(value, Qubits):
            raise Refused("a qubit has no value: measure it")
        if value is None or isinstance(value, (ast.QuantumGateDefinition, ast.SubroutineDefinition)):
            raise Refused("this has no value")
        return value

    def result(self, node: Any) -> Any:
        """The value of an expression or of a measurement."""
        if not isinstance(node, ast.QuantumMeasurement):
            return self.value(node)
        source = self.qubits(node.qubit)
        bits = self._memory.new_bits(len(source.numbers), single=len(source.numbers) == 1)
        self._memory.measure(source, bits)
        return self._memory.read(bits)

    def truth(self, node: Any) -> bool:
        return bool(values.number(self.value(node)))

    def whole(self, node: Any) -> int:
        return values.whole(self.value(node))

    def angle(self, node: Any) -> float:
        return float(values.number(self.value(node)))

    def exponent(self, node: Any) -> float:
        """Of a power of a gate. A quotient is no whole number there: stdgates.inc itself has `pow(1/2)` for a root."""
        if isinstance(node, ast.BinaryExpression) and node.op.name == "/":
            return float(values.binary("/", self.angle(node.lhs), self.value(node.rhs)))
        return self.angle(node)

    def qubits(self, node: Any) -> Qubits:
        value = self.operand(node)
        if not isinstance(value, Qubits):
            raise Refused("a qubit is needed here")
        return value

    def size(self, node: Any) -> int:
        """Of a type: how many bits, qubits or items."""
        size = self.whole(node)
        if size < 1:
            raise Refused("a size is a whole number from 1")
        return size

    def width(self, kind: Any) -> int:
        """Of the type of bits or qubits; one that is no register has 1."""
        return 1 if kind.size is None else self.size(kind.size)

    def items(self, node: Any) -> Sequence[Any]:
        """What a loop runs over."""
        if isinstance(node, ast.RangeDefinition):
            return self._range(node, None)
        if isinstance(node, ast.DiscreteSet):
            return [self.value(part) for part in node.values]
        value = self.operand(node)
        if isinstance(value, Bits):
            word = self._memory.read(value)
            return [(word >> place) & 1 for place in range(word.width)]
        if isinstance(value, list):
            return value
        raise Refused("a loop runs over a range, a set, an array or bits")

    def array(self, kind: ast.ArrayReferenceType, node: Any, *, mutable: bool) -> Variable:
        """What a subroutine is given for an array of that type: a mutable one is that of the caller itself."""
        given = self._named_array(node) if mutable else None
        value = self.value(node) if given is None else given.value
        item = self.variable(kind.base_type)
        self._check_shape(kind.dimensions, value)
        if given is None:
            return Variable("array", None, item.filled(value, value), fixed=True, item=item)
        if given.item is None or (given.item.kind, given.item.size) != (item.kind, item.size):
            raise Refused("a mutable array has items of the same type in the subroutine and outside of it")
        return Variable("array", None, value, item=item)

    def _named_array(self, node: Any) -> Variable:
        """An array, or a row of one, that can be assigned to."""
        if isinstance(node, ast.IndexExpression) and isinstance(node.index, list):
            outer = self._named_array(node.collection)
            value = outer.value
            for part in node.index:
                if isinstance(part, ast.RangeDefinition):
                    raise Refused("a slice is not supported here as a mutable array: give the whole array, or a row")
                value = _one_of(value, self.whole(part))
            return Variable("array", None, value, item=outer.item)
        found = self._memory.lookup(node.name) if isinstance(node, ast.Identifier) else None
        if not isinstance(found, Variable) or found.item is None or found.fixed:
            raise Refused("a mutable array must be given an array that can be assigned to")
        self._memory.check_changeable(node.name)
        return found

    def _check_shape(self, dimensions: Any, value: Any) -> None:
        """`dimensions`: their lengths, or how many there are."""
        lengths = [self.size(extent) for extent in dimensions] if isinstance(dimensions, list) else None
        wanted = self.size(dimensions) if lengths is None else len(lengths)
        found = _shape(value)
        if len(found) != wanted:
            raise Refused("an array of {} is needed".format(forms.count(wanted, "dimension")))
        if lengths is not None and found != lengths:
            raise Refused("an array of {} items is needed".format(" times ".join(map(str, lengths))))

    def variable(self, kind: Any) -> Variable:
        """A new variable of a type, that holds 0."""
        if isinstance(kind, ast.ArrayType):
            shape = [self.size(extent) for extent in kind.dimensions]
            items = 1
            for extent in shape:
                items *= extent
            if items > MAX_ITEMS:
                raise Refused("an array of more than {} items is too large".format(MAX_ITEMS))
            item = self.variable(kind.base_type)
            return Variable("array", None, _of_shape(shape, item.value), item=item)
        name = KINDS.get(type(kind))
        if name is None:
            raise unsupported(kind)
        size = getattr(kind, "size", None)
        width = None if size is None else self.size(size)
        if width is not None and width > MAX_WIDTH:
            raise Refused("a variable of more than {} bits is too large".format(MAX_WIDTH))
        return Variable(name, width, values.converted(name, width, 0))

    def target(self, node: Any) -> Any:
        """What is measured into, as `operand` gives it."""
        self._memory.check_changeable(_name(node).name)
        return self.operand(node)

    def assign(self, target: Any, value: Any) -> None:
        """Give a value to what is assigned to: a name, or an item of one."""
        name = _name(target)
        found = self._memory.lookup(name.name)
        self._memory.check_changeable(name.name)
        if isinstance(found, Bits):
            self._memory.write(self.operand(target), value)
            return
        if not isinstance(found, Variable) or found.fixed:
            raise Refused("{} cannot be assigned to".format(name.name))
        if name is target:
            found.assign(value)
            return
        if found.item is None:
            raise Refused("single bits of {} cannot be assigned to".format(name.name))
        inner = found.value
        parts = [part for index in target.indices for part in index]
        places = [self.whole(part) for part in parts if not isinstance(part, ast.RangeDefinition)]
        if len(places) < len(parts):
            raise Refused("items of an array are assigned to one by one")
        for place in places[:-1]:
            inner = inner[_places(inner, [place])[0]]
        (last,) = _places(inner, [places[-1]])
        inner[last] = found.item.filled(inner[last], value)

    # forms of expressions

    def _named(self, node: Any) -> Any:
        if node.name in values.CONSTANTS:
            return values.CONSTANTS[node.name]
        found = self._memory.lookup(node.name)
        return found.value if isinstance(found, Variable) else found

    def _binary(self, node: Any) -> Any:
        name = node.op.name
        if name in ("&&", "||"):
            left = self.truth(node.lhs)
            return self.truth(node.rhs) if left == (name == "&&") else left
        return values.binary(name, self.value(node.lhs), self.value(node.rhs))

    def _indexed_name(self, node: Any) -> Any:
        value = self.operand(node.name)
        for index in node.indices:
            value = self._indexed(value, index)
        return value

    def _indexed(self, value: Any, index: Any) -> Any:
        if isinstance(index, ast.DiscreteSet):
            return _taken_from(value, [self.whole(part) for part in index.values])
        for part in index:
            if isinstance(part, ast.RangeDefinition):
                value = _taken_from(value, self._range(part, _length(value)))
            else:
                value = _one_of(value, self.whole(part))
        return value

    def _range(self, node: Any, length: Optional[int]) -> range:
        """`length`: of what is indexed, for the ends that are left out and those below 0."""
        step = 1 if node.step is None else self.whole(node.step)
        if step == 0:
            raise Refused("the step of a range is not 0")
        ends = []
        for end, default in ((node.start, 0 if step > 0 else -1), (node.end, -1 if step > 0 else 0)):
            if end is None and length is None:
                raise Refused("the range of a loop has a beginning and an end")
            place = default if end is None else self.whole(end)
            ends.append(place + length if length is not None and place < 0 else place)
        return range(ends[0], ends[1] + (1 if step > 0 else -1), step)

    def _function(self, node: Any) -> Any:
        name = node.name.name
        found = self._memory.find(name)
        if isinstance(found, ast.SubroutineDefinition):
            return self._call(found, node.arguments)
        if found is None and name in values.FUNCTIONS:
            return values.call(name, [self.value(argument) for argument in node.arguments])
        raise Refused("no subroutine is called {}".format(name))

    def _cast(self, node: Any) -> Any:
        value = self.value(node.argument)
        variable = self.variable(node.type)
        if isinstance(value, float) and variable.kind in ("int", "uint"):
            value = int(values.checked(value))
        variable.assign(value)
        return variable.value

    def _extent(self, node: Any) -> int:
        lengths = _shape(self.operand(node.target))
        dimension = 0 if node.index is None else self.whole(node.index)
        if not 0 <= dimension < len(lengths):
            raise Refused("sizeof is for the dimensions of arrays")
        return lengths[dimension]


def _name(target: Any) -> ast.Identifier:
    """The name of what is assigned to, or of what it is an item of."""
    return target.name if isinstance(target, ast.IndexedIdentifier) else target


def _joined(left: Any, right: Any) -> Any:
    if isinstance(left, Qubits) and isinstance(right, Qubits):
        return Qubits(_distinct(left.numbers + right.numbers))
    if isinstance(left, Bits) and isinstance(right, Bits):
        return Bits(_distinct(left.slots + right.slots))
    raise Refused("only qubits and qubits, or bits and bits, can be joined")


def _one_of(value: Any, place: int) -> Any:
    if isinstance(value, int) and not isinstance(value, (bool, Word)):
        if not 0 <= place < MAX_WIDTH:
            raise Refused("bit {} is outside an integer".format(place))
        return Word(value >> place, 1)
    (number,) = _places(value, [place])
    if isinstance(value, list):
        return value[number]
    if isinstance(value, Word):
        return Word(value >> number, 1)
    return type(value)((value[0][number],), True)


def _taken_from(value: Any, places: Sequence[int]) -> Any:
    numbers = _places(value, places)
    if isinstance(value, list):
        return [value[number] for number in numbers]
    if isinstance(value, Word):
        return Word(sum(((value >> number) & 1) << place for place, number in enumerate(numbers)), len(numbers))
    return type(value)(_distinct(tuple(value[0][number] for number in numbers)))


def _distinct(numbers: Tuple[int, ...]) -> Tuple[int, ...]:
    if len(set(numbers)) < len(numbers):
        raise Refused("the same qubit or bit is named twice")
    return numbers


def _places(value: Any, places: Sequence[int]) -> List[int]:
    """Places among the items, those below 0 counted from the end."""
    size = _length(value)
    found = []
    for place in places:
        if not -size <= place < size:
            raise Refused("index {} is outside of what has {} items".format(place, size))
        found.append(place % size)
    return found


def _length(value: Any) -> int:
    if isinstance(value, (Bits, Qubits)):
        if value.single:
            raise Refused("a single {} has no items".format("bit" if isinstance(value, Bits) else "qubit"))
        return len(value[0])
    if isinstance(value, Word):
        return value.width
    if isinstance(value, list):
        return len(value)
    raise Refused("this has no items")


def _shape(value: Any) -> List[int]:
    """The lengths of an array; of what an empty slice would hold nothing is known."""
    return [len(value), *(_shape(value[0]) if value else [])] if isinstance(value, list) else []


def _of_shape(shape: Sequence[int], value: Any) -> Any:
    return [_of_shape(shape[1:], value) for _ in range(shape[0])] if shape else value
