OPENQASM 3.0;
include "stdgates.inc";
input bit[2] marked;
qubit[2] q;

h q;
// oracle: CZ flips |11>, the X gates move the flip to the marked state
for int i in [0:1] { if (marked[i] == 0) { x q[i]; } }
cz q[0], q[1];
for int i in [0:1] { if (marked[i] == 0) { x q[i]; } }
// diffusion
h q;
x q;
cz q[0], q[1];
x q;
h q;
// the sign of 2|s><s| - I
gphase(pi);
