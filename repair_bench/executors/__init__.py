"""Running untrusted code: warm fork servers, one for each framework."""
