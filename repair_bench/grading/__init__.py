"""From an answer to a verdict, and what stands on that: grade, validate, audit, calibrate. No model is asked."""
