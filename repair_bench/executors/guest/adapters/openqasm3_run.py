"""Exact evolution of an OpenQASM 3 program.

The program is interpreted statement by statement, and no part of it runs as Python. The outcome of a measurement is not
selected until the program reads the measured bit. When the program reads the bit, the current run continues with one of
the two possible outcomes, 0 or 1. The outcome that was not selected is simulated by a separate run, which starts at the
beginning of the program. Each run therefore follows a single path through the program. Together, the paths cover all
measurement outcomes, each with its probability.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, NoReturn, Optional, Sequence

from openqasm3 import ast
from openqasm3.visitor import QASMVisitor

from . import forms
from . import openqasm3_operators as operators
from . import openqasm3_values as values
from .openqasm3_apply import LIBRARY, Gates
from .openqasm3_errors import OpenQASMError, Refused, placed, unsupported
from .openqasm3_expressions import Expressions
from .openqasm3_memory import Bits, Ended, Memory, Qubits, Register


class _Break(Exception):  # noqa: N818
    """Raised by a `break` statement to leave a loop. The parser rejects a `break` outside a loop."""


class _Continue(Exception):  # noqa: N818
    """Raised by a `continue` statement to start the next iteration of a loop."""


class _Return(Exception):  # noqa: N818
    """Raised by a `return` statement to leave a subroutine, with or without a value."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class Path:
    """One run of a program, in which each measured bit that the program reads has a fixed outcome."""

    def __init__(self, program: ast.Program, lines: Sequence[str], inputs: Mapping[str, Any], memory: Memory) -> None:
        self._program = program
        self._lines = lines
        self._inputs = inputs
        self.memory = memory
        self._expressions = Expressions(self.memory, self._subroutine)
        self._gates = Gates(self.memory, self._expressions, self._run)
        self._place: Optional[ast.Span] = None
        self._actions: Dict[type, Callable[[Any], None]] = {
            ast.Include: self._include,
            ast.QubitDeclaration: self._qubits,
            ast.ClassicalDeclaration: self._declare,
            ast.ConstantDeclaration: self._constant,
            ast.IODeclaration: self._input_or_output,
            ast.AliasStatement: self._alias,
            ast.QuantumGateDefinition: self._define_gate,
            ast.SubroutineDefinition: self._define_subroutine,
            ast.QuantumGate: self._gates.apply,
            ast.QuantumPhase: self._gates.apply_phase,
            ast.QuantumMeasurementStatement: self._measure,
            ast.QuantumReset: lambda node: self.memory.reset(self._expressions.qubits(node.qubits)),
            ast.QuantumBarrier: self._wait,
            ast.DelayInstruction: self._wait,
            ast.ClassicalAssignment: self._assign,
            ast.ExpressionStatement: lambda node: self._expressions.operand(node.expression),
            ast.BranchingStatement: self._branch,
            ast.ForInLoop: self._for,
            ast.WhileLoop: self._while,
            ast.SwitchStatement: self._switch,
            ast.CompoundStatement: lambda node: self._block(node.statements),
            ast.Box: lambda node: self._block(node.body),
            ast.BreakStatement: lambda _: _raise(_Break()),
            ast.ContinueStatement: lambda _: _raise(_Continue()),
            ast.EndStatement: lambda _: _raise(Ended()),
            ast.ReturnStatement: self._return,
        }

    def run(self) -> None:
        try:
            self.memory.budget.paths += 1
            self._run(self._program.statements)
        except Ended:
            pass
        except Refused as reason:
            raise self._error(str(reason)) from None
        except RecursionError:
            raise self._error("the program is nested too deeply") from None

    def _error(self, problem: str) -> OpenQASMError:
        if self._place is None:
            return OpenQASMError(problem)
        return OpenQASMError(placed(problem, self._lines, self._place.start_line, self._place.start_column))

    def _run(self, statements: Sequence[Any]) -> None:
        outer = self._place
        for statement in statements:
            self._place = statement.span
            self._step()
            action = self._actions.get(type(statement))
            if action is None:
                raise unsupported(statement)
            action(statement)
        self._place = outer

    def _step(self) -> None:
        if not self.memory.branches:
            raise Ended  # too unlikely to continue
        self.memory.budget.step()

    def _block(self, statements: Sequence[Any], names: Optional[Dict[str, Any]] = None) -> None:
        with self.memory.block(names):
            self._run(statements)

    def _wait(self, node: Any) -> None:
        """Check the qubits of a barrier or a delay; neither changes the state."""
        for qubits in node.qubits:
            self._expressions.qubits(qubits)

    # declarations

    def _include(self, node: Any) -> None:
        if node.filename != LIBRARY:
            raise Refused('only "{}" can be included'.format(LIBRARY))
        self.memory.standard = LIBRARY

    def _qubits(self, node: Any) -> None:
        size = 1 if node.size is None else self._expressions.size(node.size)
        self.memory.insert(node.qubit.name, self.memory.new_qubits(size, single=node.size is None))

    def _declare(self, node: Any) -> None:
        name, kind = node.identifier.name, node.type
        if isinstance(kind, ast.BitType):
            bits = self._register(name, kind)
            if isinstance(node.init_expression, ast.QuantumMeasurement):
                self.memory.measure(self._expressions.qubits(node.init_expression.qubit), bits)
            elif node.init_expression is not None:
                self.memory.write(bits, self._expressions.value(node.init_expression))
            return
        variable = self._expressions.variable(kind)
        if node.init_expression is not None:
            variable.assign(self._expressions.result(node.init_expression))
        self.memory.insert(name, variable)

    def _register(self, name: str, kind: ast.BitType, *, output: bool = False) -> Bits:
        bits = self._bits(name, kind)
        if self.memory.outermost:
            self.memory.registers.append(Register(name, bits.slots, output))
        return bits

    def _bits(self, name: str, kind: ast.BitType) -> Bits:
        bits = self.memory.new_bits(self._expressions.width(kind), single=kind.size is None)
        self.memory.insert(name, bits)
        return bits

    def _constant(self, node: Any) -> None:
        with self.memory.constants():
            value = self._expressions.value(node.init_expression)
        variable = self._expressions.variable(node.type)
        variable.assign(value)
        variable.fixed = True
        self.memory.insert(node.identifier.name, variable)

    def _input_or_output(self, node: Any) -> None:
        name, kind = node.identifier.name, node.type
        output = node.io_identifier is ast.IOKeyword.output
        if isinstance(kind, ast.BitType):
            if output:
                self._register(name, kind, output=True)
            else:
                self._take_bits(name, self._bits(name, kind))
            return
        variable = self._expressions.variable(kind)
        if not output:
            value = self._given(name)
            if isinstance(value, str) or isinstance(value, list) != isinstance(variable.value, list):
                raise Refused("the input {} received {}, which does not match its type".format(name, _summary(value)))
            variable.assign(_typed(value))
        self.memory.insert(name, variable)

    def _given(self, name: str) -> Any:
        if name not in self._inputs:
            names = ", ".join(self._inputs)
            known = "the inputs are " + names if names else "there are no inputs"
            raise Refused("unknown input {}: {}".format(name, known))
        return self._inputs[name]

    def _take_bits(self, name: str, bits: Bits) -> None:
        """Encode an input in bits.

        Bit i is character i of an input string, or the bit with value 2^i of an input number.
        """
        value = self._given(name)
        if isinstance(value, str) and len(value) == len(bits.slots) and set(value) <= {"0", "1"}:
            value = int(value[::-1], 2)
        if not isinstance(value, int):
            raise Refused("the input {} received {}, which does not match its type".format(name, _summary(value)))
        self.memory.write(bits, values.given(value))

    def _alias(self, node: Any) -> None:
        value = self._expressions.operand(node.value)
        if not isinstance(value, (Qubits, Bits)):
            raise Refused("only qubits and bits can have an alias")
        self.memory.insert(node.target.name, value)

    def _define_gate(self, node: Any) -> None:
        _check_parameters([part.name for part in (*node.arguments, *node.qubits)])
        _Applied(self._check_applied).visit(node, node.name.name)
        self._place = node.span
        self.memory.insert(node.name.name, node)

    def _check_applied(self, node: ast.QuantumGate, inside: str) -> None:
        self._place = node.span
        if node.name.name == inside:
            raise Refused("the gate {} cannot be applied in its own definition".format(inside))
        self._gates.check_known(node.name.name)

    def _define_subroutine(self, node: Any) -> None:
        _check_parameters([part.name.name for part in node.arguments])
        self.memory.insert(node.name.name, node)

    # measurement and assignment

    def _measure(self, node: Any) -> None:
        target = None if node.target is None else self._expressions.target(node.target)
        if target is not None and not isinstance(target, Bits):
            self._expressions.assign(node.target, self._expressions.result(node.measure))
            return
        source = self._expressions.qubits(node.measure.qubit)
        self.memory.measure(source, target or self.memory.new_bits(len(source.numbers), single=False))

    def _assign(self, node: Any) -> None:
        value = self._expressions.value(node.rvalue)
        if node.op.name != "=":
            value = operators.binary(node.op.name[:-1], self._expressions.value(node.lvalue), value)
        self._expressions.assign(node.lvalue, value)

    # control

    def _branch(self, node: Any) -> None:
        self._block(node.if_block if self._expressions.truth(node.condition) else node.else_block)

    def _for(self, node: Any) -> None:
        for item in self._expressions.items(node.set_declaration):
            variable = self._expressions.variable(node.type)
            variable.assign(item)
            if not self._iterate(node.block, {node.identifier.name: variable}):
                return

    def _while(self, node: Any) -> None:
        while self._expressions.truth(node.while_condition) and self._iterate(node.block):
            pass

    def _iterate(self, body: Sequence[Any], names: Optional[Dict[str, Any]] = None) -> bool:
        """Run the body of a loop once, and return whether the loop continues."""
        self._step()
        try:
            self._block(body, names)
        except _Break:
            return False
        except _Continue:
            pass
        return True

    def _switch(self, node: Any) -> None:
        target = self._expressions.value(node.target)
        for labels, block in node.cases:
            if any(operators.binary("==", target, self._expressions.value(label)).raw for label in labels):
                return self._block(block.statements)
        return self._block(node.default.statements) if node.default is not None else None

    # subroutines

    def _return(self, node: Any) -> None:
        raise _Return(None if node.expression is None else self._expressions.result(node.expression))

    def _subroutine(self, made: ast.SubroutineDefinition, arguments: Sequence[Any]) -> Any:
        if len(arguments) != len(made.arguments):
            wanted = forms.count(len(made.arguments), "argument")
            raise Refused("{} takes {}, not {}".format(made.name.name, wanted, len(arguments)))
        names = {
            parameter.name.name: self._argument(parameter, given) for parameter, given in zip(made.arguments, arguments)
        }
        place = self._place
        with self.memory.body(names), self.memory.block():
            try:
                self._run(made.body)
            except _Return as left:
                self._place = place
                return self._returned(made, left.value)
        return None

    def _returned(self, made: ast.SubroutineDefinition, value: Any) -> Any:
        if value is None:
            return None
        if made.return_type is None:
            raise Refused("{} returns a value but declares no return type".format(made.name.name))
        variable = self._expressions.variable(made.return_type)
        variable.assign(value)
        return variable.value

    def _argument(self, parameter: Any, given: Any) -> Any:
        name = parameter.name.name
        if isinstance(parameter, ast.QuantumArgument):
            qubits = self._expressions.qubits(given)
            wanted = self._expressions.width(parameter)
            if len(qubits.numbers) != wanted:
                raise Refused("{} has {}, not {}".format(name, forms.count(wanted, "qubit"), len(qubits.numbers)))
            return Qubits(qubits.numbers, parameter.size is None)
        if isinstance(parameter.type, ast.ArrayReferenceType):
            mutable = parameter.access is ast.AccessControl.mutable
            return self._expressions.array(parameter.type, given, mutable=mutable)
        variable = self._expressions.variable(parameter.type)
        variable.assign(self._expressions.value(given))
        return variable


class _Applied(QASMVisitor[str]):
    """Calls `check` once for each gate applied in the body of a gate, passing the name of the enclosing gate."""

    def __init__(self, check: Callable[[ast.QuantumGate, str], None]) -> None:
        self._check = check

    def visit_QuantumGate(self, node: ast.QuantumGate, inside: str) -> None:  # noqa: N802 - the base class names it
        self._check(node, inside)


def _check_parameters(names: Sequence[str]) -> None:
    if len(set(names)) < len(names):
        raise Refused("two parameters have the same name")


def _raise(exception: Exception) -> NoReturn:
    raise exception


def _typed(value: Any) -> Any:
    return [_typed(item) for item in value] if isinstance(value, list) else values.given(value)


def _summary(value: Any) -> str:
    if isinstance(value, str):
        return "{} bits".format(len(value))
    if isinstance(value, list):
        return "an array of {} items".format(len(value))
    return "a float" if isinstance(value, float) else "an int"
