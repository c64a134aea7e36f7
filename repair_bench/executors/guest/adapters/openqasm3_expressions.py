"""Evaluate OpenQASM 3 expressions and assignment targets: numbers, arrays, bits and qubits."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, Optional, Sequence

from openqasm3 import ast

from . import forms
from . import openqasm3_items as items
from . import openqasm3_operators as operators
from . import openqasm3_values as values
from .openqasm3_errors import Refused, unsupported
from .openqasm3_memory import Bits, Memory, Qubits, Variable
from .openqasm3_values import Type, Value, converted

MAX_ITEMS = 65_536
"""The maximum number of items in an array, over all dimensions."""
MAX_WIDTH = values.MAX_INTEGER_BITS

KINDS = {
    ast.IntType: "int",
    ast.UintType: "uint",
    ast.FloatType: "float",
    ast.AngleType: "angle",
    ast.BoolType: "bool",
    ast.BitType: "bit",
}
"""The type names of classical variables."""


class Expressions:
    """Evaluates expressions, using the variables in a memory.

    `call`: a function that runs a subroutine, given the subroutine's definition and the unevaluated argument
    expressions.
    """

    def __init__(self, memory: Memory, call: Callable[[ast.SubroutineDefinition, Sequence[Any]], Any]) -> None:
        self._memory = memory
        self._call = call
        self._forms: Dict[type, Callable[[Any], Any]] = {
            ast.Identifier: self._named,
            ast.IntegerLiteral: lambda node: values.literal(node.value),
            ast.FloatLiteral: lambda node: values.floating(values.FLOAT, node.value),
            ast.BooleanLiteral: lambda node: values.truth(node.value),
            ast.BitstringLiteral: lambda node: Value(Type("bit", node.width), node.value),
            ast.UnaryExpression: lambda node: operators.unary(node.op.name, self.value(node.expression)),
            ast.BinaryExpression: self._binary,
            ast.IndexExpression: lambda node: self._indexed(self.operand(node.collection), node.index),
            ast.IndexedIdentifier: self._indexed_name,
            ast.Concatenation: lambda node: items.joined(self.operand(node.lhs), self.operand(node.rhs)),
            ast.FunctionCall: self._function,
            ast.Cast: self._cast,
            ast.ArrayLiteral: lambda node: [self.value(part) for part in node.values],
            ast.SizeOf: self._extent,
        }

    def operand(self, node: Any) -> Any:
        """Return the value of an expression: a number, an array, qubits, bits whose values were not read yet, or None.

        Raises `Refused`.
        """
        form = self._forms.get(type(node))
        if form is None:
            raise unsupported(node)
        return form(node)

    def value(self, node: Any) -> Any:
        """Return the value of an expression as a number or an array. If bits were measured, read the outcomes."""
        value = self.operand(node)
        if isinstance(value, Bits):
            return self._memory.read(value)
        if isinstance(value, Qubits):
            raise Refused("a qubit has no classical value: measure the qubit")
        if value is None or isinstance(value, (ast.QuantumGateDefinition, ast.SubroutineDefinition)):
            raise Refused("this expression has no value")
        return value

    def result(self, node: Any) -> Any:
        if not isinstance(node, ast.QuantumMeasurement):
            return self.value(node)
        source = self.qubits(node.qubit)
        bits = self._memory.new_bits(len(source.numbers), single=len(source.numbers) == 1)
        self._memory.measure(source, bits)
        return self._memory.read(bits)

    def truth(self, node: Any) -> bool:
        return values.is_true(self.value(node))

    def integer(self, node: Any) -> int:
        return values.as_integer(self.value(node))

    def angle(self, node: Any) -> float:
        return values.radians(self.value(node))

    def exponent(self, node: Any) -> float:
        """Return a gate's exponent.

        A quotient of integers is computed as a float, because the exponent 1/2 in `pow(1/2)` (stdgates.inc) means a
        square root.
        """
        if isinstance(node, ast.BinaryExpression) and node.op.name == "/":
            return float(operators.binary("/", converted(values.FLOAT, self.value(node.lhs)), self.value(node.rhs)).raw)
        return self.angle(node)

    def qubits(self, node: Any) -> Qubits:
        value = self.operand(node)
        if not isinstance(value, Qubits):
            raise Refused("expected a qubit")
        return value

    def size(self, node: Any) -> int:
        size = self.integer(node)
        if size < 1:
            raise Refused("a size must be a positive integer")
        return size

    def width(self, kind: Any) -> int:
        """Return the width of a bit or qubit type; 1 for an individual bit or qubit."""
        return 1 if kind.size is None else self.size(kind.size)

    def items(self, node: Any) -> Iterable[Any]:
        if isinstance(node, ast.RangeDefinition):
            return map(values.literal, self._range(node, None))
        if isinstance(node, ast.DiscreteSet):
            return [self.value(part) for part in node.values]
        value = self.operand(node)
        if isinstance(value, Bits):
            value = self._memory.read(value)
        if isinstance(value, Value) and value.type.register:
            return [items.one_of(value, place) for place in range(value.type.width)]
        if isinstance(value, list):
            return value
        raise Refused("a loop must run over a range, a set, an array or bits")

    def array(self, kind: ast.ArrayReferenceType, node: Any, *, mutable: bool) -> Variable:
        """Return an array argument of a subroutine. A mutable array is passed by reference, so the subroutine changes
        the caller's array.
        """
        given = self._named_array(node) if mutable else None
        value = self.value(node) if given is None else given.value
        item = self.variable(kind.base_type)
        self._check_shape(kind.dimensions, value)
        if given is None:
            return Variable(item.type, item.filled(value, value), fixed=True)
        if given.type != item.type:
            raise Refused("the items of a mutable array must have the same type inside and outside the subroutine")
        return Variable(item.type, value)

    def _named_array(self, node: Any) -> Variable:
        if isinstance(node, ast.IndexExpression) and isinstance(node.index, list):
            outer = self._named_array(node.collection)
            value = outer.value
            for part in node.index:
                if isinstance(part, ast.RangeDefinition):
                    raise Refused("a slice cannot be passed as a mutable array: pass the whole array or a row")
                value = items.one_of(value, self.integer(part))
            return Variable(outer.type, value)
        found = self._memory.lookup(node.name) if isinstance(node, ast.Identifier) else None
        if not isinstance(found, Variable) or not isinstance(found.value, list) or found.fixed:
            raise Refused("the argument for a mutable array must be an assignable array")
        self._memory.check_changeable(node.name)
        return found

    def _check_shape(self, dimensions: Any, value: Any) -> None:
        """Check the shape of an array. `dimensions`: the length of each dimension, or only the number of dimensions."""
        lengths = [self.size(extent) for extent in dimensions] if isinstance(dimensions, list) else None
        wanted = self.size(dimensions) if lengths is None else len(lengths)
        found = items.shape(value)
        if len(found) != wanted:
            raise Refused("expected an array of {}".format(forms.count(wanted, "dimension")))
        if lengths is not None and found != lengths:
            raise Refused("expected an array of {} items".format(" times ".join(map(str, lengths))))

    def variable(self, kind: Any) -> Variable:
        if isinstance(kind, ast.ArrayType):
            lengths = [self.size(extent) for extent in kind.dimensions]
            count = 1
            for extent in lengths:
                count *= extent
            if count > MAX_ITEMS:
                raise Refused("the array has more than {} items".format(MAX_ITEMS))
            item = self.variable(kind.base_type)
            return Variable(item.type, items.of_shape(lengths, item.value))
        made = self._type(kind)
        return Variable(made, Value(made, 0.0 if made.kind == "float" else 0))

    def _type(self, kind: Any) -> Type:
        name = KINDS.get(type(kind))
        if name is None:
            raise unsupported(kind)
        size = getattr(kind, "size", None)
        made = Type(name, None if size is None else self.size(size))
        if made.width > MAX_WIDTH:
            raise Refused("the variable has more than {} bits".format(MAX_WIDTH))
        if name == "float" and made.size not in (None, *values.FLOAT_SIZES):
            raise Refused("a float must have 16, 32 or 64 bits, not {}".format(made.size))
        return made

    def target(self, node: Any) -> Any:
        self._memory.check_changeable(_name(node).name)
        return self.operand(node)

    def assign(self, target: Any, value: Any) -> None:
        name = _name(target)
        found = self._memory.lookup(name.name)
        self._memory.check_changeable(name.name)
        if isinstance(found, Bits):
            self._memory.write(self.operand(target), value)
            return
        if not isinstance(found, Variable) or found.fixed:
            raise Refused("cannot assign to {}".format(name.name))
        if name is target:
            found.assign(value)
            return
        inner = found.value
        parts = [part for index in target.indices for part in index]
        places = [self.integer(part) for part in parts if not isinstance(part, ast.RangeDefinition)]
        if len(places) < len(parts):
            raise Refused("the items of an array must be assigned one at a time")
        for place in places[:-1]:
            inner = items.one_of(inner, place)
        if not isinstance(inner, list):
            raise Refused("cannot assign to individual bits of {}".format(name.name))
        (last,) = items.places_of(inner, [places[-1]])
        inner[last] = found.filled(inner[last], value)

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
            return values.truth(self.truth(node.rhs) if left == (name == "&&") else left)
        return operators.binary(name, self.value(node.lhs), self.value(node.rhs))

    def _indexed_name(self, node: Any) -> Any:
        value = self.operand(node.name)
        for index in node.indices:
            value = self._indexed(value, index)
        return value

    def _indexed(self, value: Any, index: Any) -> Any:
        if isinstance(index, ast.DiscreteSet):
            return items.taken_from(value, [self.integer(part) for part in index.values])
        for part in index:
            if isinstance(part, ast.RangeDefinition):
                value = items.taken_from(value, self._range(part, items.length(value)))
            else:
                value = items.one_of(value, self.integer(part))
        return value

    def _range(self, node: Any, length: Optional[int]) -> range:
        """Return the indices in a slice or in the range of a loop.

        `length`: the length of the sliced value. If the indices belong to a loop, `length` is None.
        """
        step = 1 if node.step is None else self.integer(node.step)
        if step == 0:
            raise Refused("the step of a range must not be 0")
        ends = []
        for end, default in ((node.start, 0 if step > 0 else -1), (node.end, -1 if step > 0 else 0)):
            if end is None and length is None:
                raise Refused("the range of a loop must have a start and an end")
            place = default if end is None else self.integer(end)
            ends.append(place + length if length is not None and place < 0 else place)
        return range(ends[0], ends[1] + (1 if step > 0 else -1), step)

    def _function(self, node: Any) -> Any:
        name = node.name.name
        found = self._memory.find(name)
        if isinstance(found, ast.SubroutineDefinition):
            self._memory.check_constant(name)
            return self._call(found, node.arguments)
        if found is None and name in operators.FUNCTIONS:
            return operators.call(name, [self.value(argument) for argument in node.arguments])
        raise Refused("unknown subroutine {}".format(name))

    def _cast(self, node: Any) -> Any:
        value = self.value(node.argument)
        return converted(self._type(node.type), value, cast=True)

    def _extent(self, node: Any) -> Value:
        lengths = items.shape(self.operand(node.target))
        dimension = 0 if node.index is None else self.integer(node.index)
        if not 0 <= dimension < len(lengths):
            raise Refused("sizeof requires an array and the index of one of its dimensions")
        return Value(values.UINT, lengths[dimension])


def _name(target: Any) -> ast.Identifier:
    return target.name if isinstance(target, ast.IndexedIdentifier) else target
