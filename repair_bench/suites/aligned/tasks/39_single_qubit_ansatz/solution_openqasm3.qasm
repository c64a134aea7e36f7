OPENQASM 3.0;
include "stdgates.inc";
input array[float, 2] parameters;
qubit q;

rx(parameters[0]) q;
ry(parameters[1]) q;
