OPENQASM 3.0;
include "stdgates.inc";
input float theta;
input float phi;
input float lam;
qubit q;

rz(lam) q;
sx q;
rz(theta + pi) q;
sx q;
rz(phi + pi) q;
