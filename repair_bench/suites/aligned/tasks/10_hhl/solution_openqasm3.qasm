OPENQASM 3.0;
include "stdgates.inc";
input float alpha;
input float beta;
qubit[6] q;

// exp(i A t), with A = 5/2 - ZZ - XX/2
gate evolve(t_) a, b {
  gphase(5 * t_ / 2);
  cx a, b;
  rz(2 * t_) b;
  cx a, b;
  h a;
  h b;
  cx a, b;
  rz(t_) b;
  cx a, b;
  h a;
  h b;
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

gate estimate c0, c1, c2, v0, v1 {
  h c0;
  h c1;
  h c2;
  ctrl @ evolve(pi) c0, v0, v1;
  ctrl @ evolve(pi / 2) c1, v0, v1;
  ctrl @ evolve(pi / 4) c2, v0, v1;
  inv @ qft c0, c1, c2;
}

ry(alpha) q[4];
ry(beta) q[5];
estimate q[1], q[2], q[3], q[4], q[5];
negctrl @ negctrl @ ctrl @ ry(2 * arcsin(1)) q[1], q[2], q[3], q[0];
negctrl @ ctrl @ negctrl @ ry(2 * arcsin(1.0 / 2)) q[1], q[2], q[3], q[0];
negctrl @ ctrl @ ctrl @ ry(2 * arcsin(1.0 / 3)) q[1], q[2], q[3], q[0];
ctrl @ negctrl @ negctrl @ ry(2 * arcsin(1.0 / 4)) q[1], q[2], q[3], q[0];
inv @ estimate q[1], q[2], q[3], q[4], q[5];
