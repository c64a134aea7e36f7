"""Grade answers, and validate, audit and calibrate suites. No model is called."""
