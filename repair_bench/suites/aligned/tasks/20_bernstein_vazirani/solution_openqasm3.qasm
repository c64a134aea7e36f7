OPENQASM 3.0;
include "stdgates.inc";
input bit[3] a;
qubit[4] q;

x q[3];
h q;
for int i in [0:2] { if (a[i] == 1) { cx q[i], q[3]; } }
h q[0:2];
