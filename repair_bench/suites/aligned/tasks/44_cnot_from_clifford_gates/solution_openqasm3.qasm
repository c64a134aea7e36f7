OPENQASM 3.0;
include "stdgates.inc";
qubit[2] q;

// SX takes Z to -Y under conjugation and S takes -Y to X: CZ becomes CX
sdg q[1];
inv @ sx q[1];
cz q[0], q[1];
sx q[1];
s q[1];
