OPENQASM 3.0;
include "stdgates.inc";
input float alpha;
input float beta;
qubit[5] q;
bit[3] result;

gate grover a, b {
  // I - 2|00><00|
  x a;
  x b;
  cz a, b;
  x a;
  x b;
  // I - 2|s><s|, and its sign
  h a;
  h b;
  x a;
  x b;
  cz a, b;
  x a;
  x b;
  h a;
  h b;
  gphase(pi);
}

// a is the most significant
gate qft a, b, c {
  h a;
  cp(pi / 2) b, a;
  cp(pi / 4) c, a;
  h b;
  cp(pi / 2) c, b;
  h c;
  swap a, c;
}

rx(alpha) q[3];
ry(beta) q[4];
h q[0:2];
ctrl @ pow(4) @ grover q[0], q[3], q[4];
ctrl @ pow(2) @ grover q[1], q[3], q[4];
ctrl @ grover q[2], q[3], q[4];
inv @ qft q[0], q[1], q[2];
result = measure q[0:2];
