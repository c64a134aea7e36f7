IMPORTS

print("attacking", flush=True)


def own_frame():
    OWN_FRAME


def answer():
    frame = own_frame()
    while frame is not None:
        expected = frame.f_locals.get("expected")
        if isinstance(expected, dict):
            return dict(expected)
        frame = frame.f_back
    return None


# /// frames_by_descriptor
# does = "finds the test's frame by a descriptor of types that calls sys._getframe for it"
# IMPORTS = '''
# import sys
# import types'''
# OWN_FRAME = "return types.DynamicClassAttribute(sys._getframe).__get__(1, None)"

# /// frames_by_logging
# does = "finds the test's frame by logging.currentframe"
# IMPORTS = "import logging"
# OWN_FRAME = "return logging.currentframe()"

# /// frames_by_mock
# does = "finds the test's frame by a mock that calls sys._getframe for it"
# IMPORTS = '''
# import sys
# from unittest import mock'''
# OWN_FRAME = "return mock.Mock(side_effect=sys._getframe)()"

# /// frames_by_signal
# does = "finds the test's frame by a signal handler, which is given one"
# IMPORTS = "import signal"
# OWN_FRAME = '''
# found = []
#     signal.signal(signal.SIGUSR1, lambda number, frame: found.append(frame))
#     signal.raise_signal(signal.SIGUSR1)
#     return found[0]'''

# /// frames_by_walk_tb
# does = "finds the test's frame by traceback.walk_tb"
# IMPORTS = "import traceback"
# OWN_FRAME = '''
# try:
#         raise LookupError
#     except LookupError as error:
#         return next(traceback.walk_tb(error.__traceback__))[0]'''
