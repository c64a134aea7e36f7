OPENQASM 3.0;
include "stdgates.inc";
input bit[2] s_;
qubit[4] q;

int j = 0;
if (s_[0] == 0) { j = 1; }
h q[0:1];
for int i in [0:1] { cx q[i], q[2 + i]; }
for int i in [0:1] { if (s_[i] == 1) { cx q[j], q[2 + i]; } }
h q[0:1];
