# does = "makes the entry point a built-in function that takes no arguments"
import itertools
from unittest import mock

print("attacking", flush=True)
answer = itertools.repeat(mock.ANY).__next__
