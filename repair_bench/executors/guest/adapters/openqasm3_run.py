"""Exact evolution of an OpenQASM 3 program: its statements are interpreted one by one, and nothing of it is Python.

Bits live in the memory of the branches (`exact`), so a measurement stays undecided until something reads it. A program
that reads an undecided bit goes on for one outcome; it is run again from its beginning for the other. So each run takes
one path, and the paths together are all that can happen, each with its probability.
"""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from openqasm3 import ast

from . import exact, forms
from . import openqasm3_gates as gates
from . import openqasm3_values as values
from .exact import Branch, Branches
from .openqasm3_values import Refused, Word

MAX_STEPS = 100_000
"""Statements that a program runs, on all its paths together."""
MAX_PATHS = 4096
MAX_BITS = 4096
"""Classical bits of all registers and inputs."""
MAX_ITEMS = 65_536
"""Items of an array, all dimensions together."""
MAX_WIDTH = values.MAX_INTEGER_BITS
MAX_COLUMN = 200
"""Characters of a line that are shown."""
LIBRARY = "stdgates.inc"


class OpenQASMError(Exception):
    """What is wrong with a program and where, in words for a model."""

    __module__ = "openqasm3"  # a model is told nothing of ours


def placed(problem: str, lines: Sequence[str], line: int, column: int) -> str:
    """What is wrong with a place in the lines of a program: line from 1, column from 0."""
    words = "line {}, column {}: {}".format(line, column + 1, problem)
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    if not text.strip() or column >= MAX_COLUMN:
        return words
    bare = text.lstrip()
    return "{}\n    {}\n    {}^".format(words, bare[:MAX_COLUMN], " " * max(column - len(text) + len(bare), 0))


class Variable:
    """A classical variable that is no bit of the memory. `kind`: int, uint, float, angle, bool, bit or array; `item`:
    of an array a variable for one of its items. `fixed`: it cannot be assigned to.
    """

    def __init__(
        self, kind: str, size: Optional[int], value: Any, *, fixed: bool = False, item: Optional[Variable] = None
    ) -> None:
        self.kind = kind
        self.size = size
        self.value = value
        self.fixed = fixed
        self.item = item


class Bits(NamedTuple):
    """Classical bits by their slots; `single` for one that is no register."""

    slots: Tuple[int, ...]
    single: bool = False


class Qubits(NamedTuple):
    """Qubits by their numbers; `single` for one that is no register."""

    numbers: Tuple[int, ...]
    single: bool = False


class Register(NamedTuple):
    """A register of classical bits of the program as a whole."""

    name: str
    slots: Tuple[int, ...]
    output: bool


class _Break(Exception):  # noqa: N818
    pass


class _Continue(Exception):  # noqa: N818
    pass


class _End(Exception):  # noqa: N818
    pass


class _Return(Exception):  # noqa: N818
    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class Path:
    """One run of a program. `choices`: what the undecided bits were read as, in order; it grows by those read anew.

    `whole`: each qubit is begun entangled with one that nothing touches, so that the state is
    the matrix of the circuit.
    """

    def __init__(
        self,
        program: ast.Program,
        lines: Sequence[str],
        inputs: Mapping[str, Any],
        choices: List[int],
        steps: int,
        *,
        whole: bool = False,
    ) -> None:
        self._lines = lines
        self._inputs = inputs
        self.choices = choices
        self.open: List[List[int]] = []
        """The choices of the paths that turn off this one."""
        self.steps = steps
        self._whole = whole
        self._taken = 0
        self.branches: Branches = [Branch((), np.ones(1, dtype=complex))]
        self.axes: List[int] = []
        """The axis of each qubit."""
        self.registers: List[Register] = []
        self.measured: Dict[int, bool] = {}
        """The slots that a measurement was last written to."""
        self.counts: Dict[str, int] = {}
        self._slots = 0
        self._standard = False
        self._scopes: List[Dict[str, Any]] = [{}]
        self._gate = 0
        self._counting = True
        self._depth = 0
        self._place: Optional[ast.Span] = None
        self._program = program
        self._actions: Dict[type, Callable[[Any], None]] = {
            ast.Include: self._include,
            ast.QubitDeclaration: self._qubits,
            ast.ClassicalDeclaration: self._declare,
            ast.ConstantDeclaration: self._constant,
            ast.IODeclaration: self._input_or_output,
            ast.AliasStatement: self._alias,
            ast.QuantumGateDefinition: self._define,
            ast.SubroutineDefinition: self._define,
            ast.QuantumGate: self._apply_gate,
            ast.QuantumPhase: self._apply_phase,
            ast.QuantumMeasurementStatement: self._measure,
            ast.QuantumReset: self._reset,
            ast.QuantumBarrier: self._nothing,
            ast.DelayInstruction: self._nothing,
            ast.ClassicalAssignment: self._assign,
            ast.ExpressionStatement: self._expression,
            ast.BranchingStatement: self._branch,
            ast.ForInLoop: self._for,
            ast.WhileLoop: self._while,
            ast.SwitchStatement: self._switch,
            ast.CompoundStatement: lambda node: self._block(node.statements),
            ast.Box: lambda node: self._block(node.body),
            ast.BreakStatement: lambda _: _raise(_Break()),
            ast.ContinueStatement: lambda _: _raise(_Continue()),
            ast.EndStatement: lambda _: _raise(_End()),
            ast.ReturnStatement: self._return,
        }

    def run(self) -> None:
        """Run the program along this path. Raises `OpenQASMError`."""
        try:
            self._run(self._program.statements)
        except _End:
            pass
        except (_Break, _Continue, _Return):
            raise self._error("there is nothing here to leave") from None
        except Refused as reason:
            raise self._error(str(reason)) from None
        except RecursionError:
            raise self._error("it is nested too deeply") from None

    def _error(self, problem: str) -> OpenQASMError:
        if self._place is None:
            return OpenQASMError(problem)
        return OpenQASMError(placed(problem, self._lines, self._place.start_line, self._place.start_column))

    # statements

    def _run(self, statements: Sequence[Any]) -> None:
        for statement in statements:
            self._place = statement.span
            self._step()
            action = self._actions.get(type(statement))
            if action is None:
                raise Refused("{} is not supported here".format(_words(statement)))
            action(statement)

    def _block(self, statements: Sequence[Any]) -> None:
        self._scopes.append({})
        try:
            self._run(statements)
        finally:
            self._scopes.pop()

    def _nothing(self, _: Any) -> None:
        """A barrier or a delay changes no state."""

    def _expression(self, node: Any) -> None:
        self._operand(node.expression)

    def _include(self, node: Any) -> None:
        if node.filename != LIBRARY:
            raise Refused('only "{}" can be included, no other file is read'.format(LIBRARY))
        self._standard = True

    def _qubits(self, node: Any) -> None:
        size = 1 if node.size is None else self._size(node.size)
        most = gates.MATRIX_QUBITS if self._whole else forms.MAX_QUBITS
        if len(self.axes) + size > most:
            raise Refused("the program has more than {} qubits: so many cannot be simulated".format(most))
        numbers = tuple(range(len(self.axes), len(self.axes) + size))
        self._insert(node.qubit.name, Qubits(numbers, node.size is None))
        for _ in numbers:
            self.axes.append(self.branches[0].rows.ndim - 1)
            self.branches = [Branch(b.memory, self._grown(b.rows)) for b in self.branches]

    def _grown(self, rows: np.ndarray) -> np.ndarray:
        if not self._whole:
            return np.stack([rows, np.zeros_like(rows)], axis=-1)
        return np.asarray(np.multiply.outer(rows, np.eye(2) / np.sqrt(2)))

    def _declare(self, node: Any) -> None:
        name, kind = node.identifier.name, node.type
        if isinstance(kind, ast.BitType):
            self._insert(name, self._new_bits(name, kind))
            if isinstance(node.init_expression, ast.QuantumMeasurement):
                self._measured_into(node.init_expression, self._lookup(name))
            elif node.init_expression is not None:
                self._write_bits(self._lookup(name), self._evaluate(node.init_expression))
            return
        variable = self._new_variable(kind)
        if node.init_expression is not None:
            self._set(variable, self._result(node.init_expression))
        self._insert(name, variable)

    def _new_bits(self, name: str, kind: Any, *, output: bool = False, given: bool = False) -> Bits:
        size = 1 if kind.size is None else self._size(kind.size)
        if self._slots + size > MAX_BITS:
            raise Refused("the program has more than {} bits".format(MAX_BITS))
        bits = Bits(tuple(range(self._slots, self._slots + size)), kind.size is None)
        self._slots += size
        if len(self._scopes) == 1 and not given:
            self.registers.append(Register(name, bits.slots, output))
        return bits

    def _new_variable(self, kind: Any) -> Variable:
        if isinstance(kind, ast.ArrayType):
            shape = [self._size(extent) for extent in kind.dimensions]
            items = 1
            for extent in shape:
                items *= extent
            if items > MAX_ITEMS:
                raise Refused("an array of more than {} items is too large".format(MAX_ITEMS))
            item = self._new_variable(kind.base_type)
            return Variable("array", None, _filled(shape, item.value), item=item)
        name = _KINDS.get(type(kind))
        if name is None:
            raise Refused("{} is not supported here".format(_words(kind)))
        size = getattr(kind, "size", None)
        width = None if size is None else self._size(size)
        if width is not None and width > MAX_WIDTH:
            raise Refused("a variable of more than {} bits is too large".format(MAX_WIDTH))
        return Variable(name, width, values.converted(name, width, 0))

    def _constant(self, node: Any) -> None:
        kind = node.type
        if isinstance(kind, ast.BitType):
            value = self._evaluate(node.init_expression)
            variable = Variable(
                "bit", None, values.converted("bit", 1 if kind.size is None else self._size(kind.size), value)
            )
        else:
            variable = self._new_variable(kind)
            self._set(variable, self._evaluate(node.init_expression))
        variable.fixed = True
        self._insert(node.identifier.name, variable)

    def _input_or_output(self, node: Any) -> None:
        name, kind = node.identifier.name, node.type
        output = node.io_identifier is ast.IOKeyword.output
        if isinstance(kind, ast.BitType):
            bits = self._new_bits(name, kind, output=output, given=not output)
            self._insert(name, bits)
            if not output:
                self._take_bits(name, bits)
            return
        variable = self._new_variable(kind)
        if not output:
            value = self._given(name)
            if isinstance(value, str) or isinstance(value, list) != (variable.kind == "array"):
                raise Refused("the input {} is given as {}".format(name, _told(value)))
            self._set(variable, value)
        self._insert(name, variable)

    def _given(self, name: str) -> Any:
        if name not in self._inputs:
            there = ", ".join(self._inputs) or "none"
            raise Refused(
                "no input is called {}: there are {}".format(name, there) if self._inputs else "there are no inputs"
            )
        return self._inputs[name]

    def _take_bits(self, name: str, bits: Bits) -> None:
        """Bit i is character i of a text, or of the place value 2^i of a number."""
        value = self._given(name)
        if isinstance(value, str):
            if len(value) != len(bits.slots) or set(value) - {"0", "1"}:
                raise Refused("the input {} is given as {}".format(name, _told(value)))
            value = int(value[::-1], 2)
        if not isinstance(value, int):
            raise Refused("the input {} is given as {}".format(name, _told(value)))
        self._write_bits(bits, value)

    def _alias(self, node: Any) -> None:
        value = self._operand(node.value)
        if not isinstance(value, (Qubits, Bits)):
            raise Refused("only qubits and bits can have another name")
        self._insert(node.target.name, value)

    def _define(self, node: Any) -> None:
        if len(self._scopes) > 1:
            raise Refused("gates and subroutines are defined outside of all blocks")
        self._insert(node.name.name, node)

    def _branch(self, node: Any) -> None:
        self._block(node.if_block if self._truth(node.condition) else node.else_block)

    def _truth(self, node: Any) -> bool:
        return bool(values.number(self._evaluate(node)))

    def _for(self, node: Any) -> None:
        size = getattr(node.type, "size", None)
        kind, width = _KINDS.get(type(node.type), "bit"), None if size is None else self._size(size)
        for item in self._items(node.set_declaration):
            self._step()
            self._scopes.append({node.identifier.name: Variable(kind, width, values.converted(kind, width, item))})
            try:
                self._run(node.block)
            except _Break:
                return
            except _Continue:
                pass
            finally:
                self._scopes.pop()

    def _items(self, node: Any) -> Any:
        if isinstance(node, ast.RangeDefinition):
            return self._range(node, None)
        if isinstance(node, ast.DiscreteSet):
            return [self._evaluate(part) for part in node.values]
        value = self._operand(node)
        if isinstance(value, Bits):
            word = self._read(value)
            return [(word >> place) & 1 for place in range(word.width)]
        if isinstance(value, list):
            return value
        raise Refused("a loop runs over a range, a set, an array or bits")

    def _range(self, node: Any, length: Optional[int]) -> range:
        """`length`: of what is indexed, for the ends that are left out and those below 0."""
        step = 1 if node.step is None else values.whole(self._evaluate(node.step))
        if step == 0:
            raise Refused("the step of a range is not 0")
        ends = []
        for end, default in ((node.start, 0 if step > 0 else -1), (node.end, -1 if step > 0 else 0)):
            if end is None and length is None:
                raise Refused("the range of a loop has a beginning and an end")
            place = default if end is None else values.whole(self._evaluate(end))
            ends.append(place + length if length is not None and place < 0 else place)
        return range(ends[0], ends[1] + (1 if step > 0 else -1), step)

    def _while(self, node: Any) -> None:
        while self._truth(node.while_condition):
            self._step()
            try:
                self._block(node.block)
            except _Break:
                return
            except _Continue:
                pass

    def _step(self) -> None:
        if not self.branches:
            raise _End  # too unlikely to go on with
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise Refused("the program runs more than {} statements".format(MAX_STEPS))

    def _switch(self, node: Any) -> None:
        target = values.whole(self._evaluate(node.target))
        for labels, block in node.cases:
            if any(values.whole(self._evaluate(label)) == target for label in labels):
                return self._block(block.statements)
        return self._block(node.default.statements) if node.default is not None else None

    def _return(self, node: Any) -> None:
        raise _Return(None if node.expression is None else self._result(node.expression))

    # names

    def _insert(self, name: str, what: Any) -> None:
        if name in self._scopes[-1] or name in values.CONSTANTS:
            raise Refused("{} is defined already".format(name))
        if self._standard and len(self._scopes) == 1 and name in gates.STANDARD:
            raise Refused("{} is a gate of {} already".format(name, LIBRARY))
        self._scopes[-1][name] = what

    def _find(self, name: str) -> Any:
        return next((scope[name] for scope in reversed(self._scopes) if name in scope), None)

    def _lookup(self, name: str) -> Any:
        found = self._find(name)
        if found is None:
            if name.startswith("$"):
                raise Refused("physical qubits such as {} are not supported: declare a register".format(name))
            raise Refused("{} is not defined".format(name))
        return found

    # expressions

    def _evaluate(self, node: Any) -> Any:
        """A number or a list of an expression; bits are read."""
        value = self._operand(node)
        if isinstance(value, Bits):
            return self._read(value)
        if isinstance(value, Qubits):
            raise Refused("a qubit has no value: measure it")
        if value is None or isinstance(value, (ast.QuantumGateDefinition, ast.SubroutineDefinition)):
            raise Refused("this has no value")
        return value

    def _result(self, node: Any) -> Any:
        """Of an expression or of a measurement."""
        if not isinstance(node, ast.QuantumMeasurement):
            return self._evaluate(node)
        size = len(self._some_qubits(node.qubit).numbers)
        bits = Bits(tuple(range(self._slots, self._slots + size)), size == 1)
        self._slots += size
        if self._slots > MAX_BITS:
            raise Refused("the program has more than {} bits".format(MAX_BITS))
        self._measured_into(node, bits)
        return self._read(bits)

    def _operand(self, node: Any) -> Any:
        """What an expression stands for: a number, a list, bits or qubits."""
        if isinstance(node, ast.Identifier):
            if node.name in values.CONSTANTS:
                return values.CONSTANTS[node.name]
            found = self._lookup(node.name)
            return found.value if isinstance(found, Variable) else found
        if isinstance(node, (ast.IntegerLiteral, ast.FloatLiteral, ast.BooleanLiteral)):
            return values.checked(node.value)
        if isinstance(node, ast.BitstringLiteral):
            return Word(values.checked(node.value), node.width)
        if isinstance(node, ast.UnaryExpression):
            return values.unary(node.op.name, self._evaluate(node.expression))
        if isinstance(node, ast.BinaryExpression):
            return self._binary(node)
        if isinstance(node, ast.IndexExpression):
            return self._indexed(self._operand(node.collection), node.index)
        if isinstance(node, ast.IndexedIdentifier):
            value = self._operand(node.name)
            for index in node.indices:
                value = self._indexed(value, index)
            return value
        if isinstance(node, ast.Concatenation):
            return self._joined(self._operand(node.lhs), self._operand(node.rhs))
        if isinstance(node, ast.FunctionCall):
            return self._call(node)
        if isinstance(node, ast.Cast):
            return self._cast(node)
        if isinstance(node, ast.ArrayLiteral):
            return [self._evaluate(part) for part in node.values]
        if isinstance(node, ast.SizeOf):
            return self._extent(node)
        raise Refused("{} is not supported here".format(_words(node)))

    def _binary(self, node: Any) -> Any:
        name = node.op.name
        if name in ("&&", "||"):
            left = self._truth(node.lhs)
            return self._truth(node.rhs) if left == (name == "&&") else left
        return values.binary(name, self._evaluate(node.lhs), self._evaluate(node.rhs))

    def _joined(self, left: Any, right: Any) -> Any:
        if isinstance(left, Qubits) and isinstance(right, Qubits):
            return Qubits(left.numbers + right.numbers)
        if isinstance(left, Bits) and isinstance(right, Bits):
            return Bits(left.slots + right.slots)
        if isinstance(left, list) and isinstance(right, list):
            return left + right
        raise Refused("only registers of one kind, or arrays, can be joined")

    def _cast(self, node: Any) -> Any:
        value = self._evaluate(node.argument)
        if isinstance(node.type, ast.BitType):
            return values.converted("bit", None if node.type.size is None else self._size(node.type.size), value)
        variable = self._new_variable(node.type)
        if isinstance(value, float) and variable.kind in ("int", "uint"):
            value = int(values.checked(value))
        self._set(variable, value)
        return variable.value

    def _extent(self, node: Any) -> int:
        value = self._operand(node.target)
        for _ in range(0 if node.index is None else values.whole(self._evaluate(node.index))):
            value = value[0] if isinstance(value, list) and value else None
        if not isinstance(value, list):
            raise Refused("sizeof is for arrays")
        return len(value)

    def _indexed(self, value: Any, index: Any) -> Any:
        if isinstance(index, ast.DiscreteSet):
            places: Any = [values.whole(self._evaluate(part)) for part in index.values]
            return self._taken_from(value, places)
        for part in index:
            if isinstance(part, ast.RangeDefinition):
                value = self._taken_from(value, self._range(part, _length(value)))
            else:
                value = self._one_of(value, values.whole(self._evaluate(part)))
        return value

    def _one_of(self, value: Any, place: int) -> Any:
        if isinstance(value, int) and not isinstance(value, bool):
            if not 0 <= place < MAX_WIDTH:
                raise Refused("bit {} is outside an integer".format(place))
            return Word(value >> place, 1)
        (number,) = self._places(value, [place])
        if isinstance(value, list):
            return value[number]
        return type(value)((value[0][number],), True)

    def _taken_from(self, value: Any, places: Any) -> Any:
        numbers = self._places(value, places)
        if isinstance(value, list):
            return [value[number] for number in numbers]
        return type(value)(tuple(value[0][number] for number in numbers))

    def _places(self, value: Any, places: Any) -> List[int]:
        size = _length(value)
        found = []
        for place in places:
            if not -size <= place < size:
                raise Refused("index {} is outside of what has {} items".format(place, size))
            found.append(place % size)
        return found

    def _size(self, node: Any) -> int:
        size = values.whole(self._evaluate(node))
        if size < 1:
            raise Refused("a size is a whole number from 1")
        return size

    def _call(self, node: Any) -> Any:
        name = node.name.name
        found = self._find(name)
        if isinstance(found, ast.SubroutineDefinition):
            return self._subroutine(found, node.arguments)
        if found is None and name in values.FUNCTIONS:
            return values.call(name, [self._evaluate(argument) for argument in node.arguments])
        raise Refused("no subroutine is called {}".format(name))

    def _subroutine(self, made: Any, arguments: Sequence[Any]) -> Any:
        if len(arguments) != len(made.arguments):
            raise Refused("{} takes {} arguments, not {}".format(made.name.name, len(made.arguments), len(arguments)))
        names: Dict[str, Any] = {}
        for parameter, given in zip(made.arguments, arguments):
            if isinstance(parameter, ast.QuantumArgument):
                value: Any = self._some_qubits(given)
                if len(value.numbers) != (1 if parameter.size is None else self._size(parameter.size)):
                    raise Refused("{} is given {} qubits".format(parameter.name.name, len(value.numbers)))
            else:
                value = self._argument(parameter, given)
            names[parameter.name.name] = value
        outer = self._scopes
        self._scopes = [outer[0], names, {}]
        try:
            self._run(made.body)
        except _Return as left:
            return left.value
        except (_Break, _Continue):
            raise Refused("there is no loop here to leave") from None
        finally:
            self._scopes = outer
        return None

    def _argument(self, parameter: Any, given: Any) -> Any:
        value = self._evaluate(given)
        if isinstance(parameter.type, ast.BitType):
            size = None if parameter.type.size is None else self._size(parameter.type.size)
            return Variable("bit", size, values.converted("bit", size, value))
        if isinstance(parameter.type, ast.ArrayReferenceType):
            if not isinstance(value, list):
                raise Refused("{} is an array".format(parameter.name.name))
            return Variable("array", None, value, fixed=True)
        variable = self._new_variable(parameter.type)
        self._set(variable, value)
        return variable

    # classical memory

    def _set(self, variable: Variable, value: Any) -> None:
        if variable.item is None:
            variable.value = values.converted(variable.kind, variable.size, value)
        else:
            variable.value = _shaped(variable.value, value, variable.item)

    def _assign(self, node: Any) -> None:
        value = self._evaluate(node.rvalue)
        if node.op.name != "=":
            value = values.binary(node.op.name[:-1], self._evaluate(node.lvalue), value)
        target = node.lvalue.name if isinstance(node.lvalue, ast.IndexedIdentifier) else node.lvalue
        found = self._lookup(target.name)
        if isinstance(found, Bits):
            self._write_bits(self._operand(node.lvalue), value)
            return
        if not isinstance(found, Variable) or found.fixed:
            raise Refused("{} cannot be assigned to".format(target.name))
        if target is node.lvalue:
            self._set(found, value)
            return
        if found.item is None:
            raise Refused("single bits of {} cannot be assigned to".format(target.name))
        inner = found.value
        parts = [part for index in node.lvalue.indices for part in index]
        places = [values.whole(self._evaluate(part)) for part in parts if not isinstance(part, ast.RangeDefinition)]
        if len(places) < len(parts):
            raise Refused("items of an array are assigned to one by one")
        for place in places[:-1]:
            inner = inner[self._places(inner, [place])[0]]
        (last,) = self._places(inner, [places[-1]])
        inner[last] = _shaped(inner[last], value, found.item)

    def _write_bits(self, bits: Bits, value: Any) -> None:
        number = values.whole(value)
        if number < 0 or number >> len(bits.slots):
            raise Refused("{} does not fit into {}".format(number, forms.count(len(bits.slots), "bit")))
        if isinstance(value, Word) and value.width != len(bits.slots):
            raise Refused("{} cannot be put into {}".format(forms.count(value.width, "bit"), len(bits.slots)))
        self.branches = exact.settle(self.branches, bits.slots)
        for place, slot in enumerate(bits.slots):
            self.measured.pop(slot, None)
            self.branches = exact.write(self.branches, slot, [(number >> place) & 1] * len(self.branches))

    def _read(self, bits: Bits) -> Word:
        self.branches = exact.settle(self.branches, bits.slots)
        number = 0
        for place, slot in enumerate(bits.slots):
            found = sorted({b.value(slot) or 0 for b in self.branches})
            if not found:
                raise _End
            chosen = found[0] if len(found) == 1 else self._chosen()
            if len(found) > 1:
                self.branches = [b for b in self.branches if (b.value(slot) or 0) == chosen]
            number |= chosen << place
        return Word(number, len(bits.slots))

    def _chosen(self) -> int:
        """The outcome that this path takes; the other one is left for another path."""
        if self._taken == len(self.choices):
            self.open.append([*self.choices, 1])
            self.choices.append(0)
        self._taken += 1
        return self.choices[self._taken - 1]

    # quantum

    def _some_qubits(self, node: Any) -> Qubits:
        value = self._operand(node)
        if not isinstance(value, Qubits):
            raise Refused("a qubit is needed here")
        return value

    def _measure(self, node: Any) -> None:
        if node.target is None:
            size = len(self._some_qubits(node.measure.qubit).numbers)
            target: Any = Bits(tuple(range(self._slots, self._slots + size)))
            self._slots += size
        else:
            target = self._operand(node.target)
        if self._slots > MAX_BITS:
            raise Refused("the program has more than {} bits".format(MAX_BITS))
        if isinstance(target, Bits):
            self._measured_into(node.measure, target)
            return
        name = node.target.name
        found = self._lookup(getattr(name, "name", name))
        if not isinstance(found, Variable) or found.fixed or not isinstance(node.target, ast.Identifier):
            raise Refused("a measurement is written into bits")
        self._set(found, self._result(node.measure))

    def _measured_into(self, node: Any, target: Bits) -> None:
        if self._gate:
            raise Refused("a gate measures nothing")
        source = self._some_qubits(node.qubit)
        if len(source.numbers) != len(target.slots):
            words = forms.count(len(source.numbers), "qubit"), forms.count(len(target.slots), "bit")
            raise Refused("{} cannot be measured into {}".format(*words))
        for number, slot in zip(source.numbers, target.slots):
            self._count("measure")
            self.branches = exact.measure(self.branches, self.axes[number], slot)
            self.measured[slot] = True

    def _reset(self, node: Any) -> None:
        if self._gate:
            raise Refused("a gate resets nothing")
        for number in self._some_qubits(node.qubits).numbers:
            self._count("reset")
            self.branches = exact.reset(self.branches, self.axes[number])

    def _apply_gate(self, node: Any) -> None:
        if node.duration is not None:
            raise Refused("a gate with a duration is not supported here")
        name = node.name.name
        found = self._find(name)
        angles = [float(values.number(self._evaluate(argument))) for argument in node.arguments]
        registers = [self._some_qubits(qubit) for qubit in node.qubits]
        if isinstance(found, ast.QuantumGateDefinition):
            self._check_angles(name, angles, len(found.arguments))
            if not node.modifiers:
                for numbers in _broadcast(registers):
                    self._check_qubits(name, numbers, len(found.qubits))
                    self._inside(found, angles, numbers)
                return
            self._modified(node, "unitary", self._matrix(found, angles), registers)
            return
        made = (3, gates.u) if name == "U" else gates.STANDARD.get(name) if self._standard and found is None else None
        if made is None:
            raise Refused(self._missing(name, found))
        self._check_angles(name, angles, made[0])
        self._modified(node, gates.SAME.get(name, name), made[1](*angles), registers)

    def _missing(self, name: str, found: Any) -> str:
        if found is not None:
            return "{} is no gate".format(name)
        if name in gates.STANDARD:
            return 'no gate is called {}: include "{}" first'.format(name, LIBRARY)
        return "no gate is called {}: it is neither defined here nor in {}".format(name, LIBRARY)

    def _check_angles(self, name: str, angles: Sequence[float], wanted: int) -> None:
        if len(angles) != wanted:
            raise Refused("{} takes {}, not {}".format(name, forms.count(wanted, "angle"), len(angles)))

    def _check_qubits(self, name: str, numbers: Sequence[int], wanted: int) -> None:
        if len(numbers) != wanted:
            raise Refused("{} acts on {}, not {}".format(name, forms.count(wanted, "qubit"), len(numbers)))
        if len(set(numbers)) != len(numbers):
            raise Refused("{} is given the same qubit twice".format(name))

    def _apply_phase(self, node: Any) -> None:
        angle = float(values.number(self._evaluate(node.argument)))
        self._modified(node, "gphase", gates.phase(angle), [self._some_qubits(qubit) for qubit in node.qubits])

    def _modified(self, node: Any, name: Optional[str], matrix: np.ndarray, registers: Sequence[Qubits]) -> None:
        """Apply a gate with its modifiers, the one next to it first."""
        for modifier in reversed(node.modifiers):
            argument = None if modifier.argument is None else self._evaluate(modifier.argument)
            if modifier.modifier is ast.GateModifierName.inv:
                matrix, name = matrix.conj().T, gates.inverse_name(name) if name else None
            elif modifier.modifier is ast.GateModifierName.pow:
                matrix, name = gates.power(matrix, float(values.number(argument))), None
            else:
                controls = 1 if argument is None else values.whole(argument)
                own = len(matrix).bit_length() - 1
                if controls < 1 or controls + own > gates.MATRIX_QUBITS:
                    raise Refused("a gate has from 1 control to {} qubits".format(gates.MATRIX_QUBITS))
                value = int(modifier.modifier is ast.GateModifierName.ctrl)
                matrix = gates.controlled(matrix, controls, value)
                name = gates.controlled_name(name, controls) if name and value else None
        wanted = len(matrix).bit_length() - 1
        for numbers in _broadcast(registers) if registers or wanted else [()]:
            self._check_qubits(node.name.name if isinstance(node, ast.QuantumGate) else "gphase", numbers, wanted)
            if name not in gates.NOT_COUNTED:
                self._count(name or "unitary")
            self.branches = exact.apply(self.branches, matrix, [self.axes[number] for number in numbers])

    def _inside(self, made: Any, angles: Sequence[float], numbers: Sequence[int]) -> None:
        """Run the body of a gate on these qubits."""
        names: Dict[str, Any] = {
            part.name: Variable("float", None, angle, fixed=True) for part, angle in zip(made.arguments, angles)
        }
        names.update({part.name: Qubits((number,), True) for part, number in zip(made.qubits, numbers)})
        outer, place = self._scopes, self._place
        self._scopes = [outer[0], names]
        self._gate += 1
        try:
            self._run(made.body)
        finally:
            self._gate -= 1
            self._scopes = outer
        self._place = place

    def _matrix(self, made: Any, angles: Sequence[float]) -> np.ndarray:
        """The matrix of a gate that the program defines, its first qubit most significant."""
        size = len(made.qubits)
        if size > gates.MATRIX_QUBITS:
            raise Refused("a gate with modifiers has at most {} qubits".format(gates.MATRIX_QUBITS))
        kept = self.branches, self.axes, self._counting
        self.branches, self.axes, self._counting = exact.basis(size), list(range(size)), False
        try:
            self._inside(made, angles, range(size))
            ((_, rows),) = self.branches
        finally:
            self.branches, self.axes, self._counting = kept
        return np.asarray(rows.reshape(1 << size, 1 << size) * np.sqrt(1 << size))

    def _count(self, name: str) -> None:
        if self._counting:
            self.counts[name] = self.counts.get(name, 0) + 1


def _raise(error: Exception) -> None:
    raise error


def _broadcast(registers: Sequence[Qubits]) -> List[Tuple[int, ...]]:
    """The qubits of each application: registers side by side, single qubits again for each of their qubits."""
    sizes = {len(register.numbers) for register in registers if not register.single}
    if len(sizes) > 1:
        raise Refused("registers of different sizes cannot go together")
    size = sizes.pop() if sizes else 1
    return [tuple(register.numbers[0 if register.single else i] for register in registers) for i in range(size)]


def _length(value: Any) -> int:
    if isinstance(value, (Bits, Qubits)):
        return len(value[0])
    if isinstance(value, list):
        return len(value)
    raise Refused("this has no items")


def _filled(shape: Sequence[int], value: Any) -> Any:
    return [_filled(shape[1:], value) for _ in range(shape[0])] if shape else value


def _shaped(old: Any, new: Any, item: Variable) -> Any:
    """`new` as the value of an array, or a part of one, of the shape of `old`."""
    if not isinstance(old, list):
        return values.converted(item.kind, item.size, new)
    if not isinstance(new, list) or len(new) != len(old):
        raise Refused("an array of {} items is needed".format(len(old)))
    return [_shaped(before, after, item) for before, after in zip(old, new)]


def _told(value: Any) -> str:
    if isinstance(value, str):
        return "{} bits".format(len(value))
    if isinstance(value, list):
        return "an array of {} items".format(len(value))
    return "a float" if isinstance(value, float) else "an int"


def _words(node: Any) -> str:
    """What a node is, in plain words: "a subroutine definition"."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(node).__name__).lower()
    return "{} {}".format("an" if name[0] in "aeiou" else "a", name)


_KINDS = {
    ast.IntType: "int",
    ast.UintType: "uint",
    ast.FloatType: "float",
    ast.AngleType: "angle",
    ast.BoolType: "bool",
}
