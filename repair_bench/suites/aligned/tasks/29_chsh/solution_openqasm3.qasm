OPENQASM 3.0;
include "stdgates.inc";
input int alice;
input int bob;
qubit[2] q;
bit[2] result;

h q[0];
cx q[0], q[1];
if (alice == 1) { ry(-pi / 2) q[0]; }
if (bob == 1) { ry(pi / 4) q[1]; } else { ry(-pi / 4) q[1]; }
result = measure q;
