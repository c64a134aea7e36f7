OPENQASM 3.0;
include "stdgates.inc";
input float phi;
qubit control;
qubit target;
bit[2] result;

x target;
h control;
cp(2 * phi) control, target;
h control;
result[0] = measure control;

reset control;
h control;
cp(phi) control, target;
if (result[0] == 1) { p(-pi / 2) control; }
h control;
result[1] = measure control;
