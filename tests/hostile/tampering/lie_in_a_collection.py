IMPORT


class Equal:
    __hash__ = None

    def __eq__(self, other):
        return True

    def __sub__(self, other):
        return 0

    __rsub__ = __sub__


def answer():
    print("attacking", flush=True)
    return HIDDEN


# /// lie_in_a_chain_map
# does = "hides an object that equals everything in a ChainMap"
# IMPORT = "from collections import ChainMap"
# HIDDEN = 'ChainMap({"00": Equal()}, {"11": Equal()})'

# /// lie_in_a_counter
# does = "hides an object that equals everything in a Counter"
# IMPORT = "from collections import Counter"
# HIDDEN = 'Counter({"00": Equal(), "11": Equal()})'

# /// lie_in_a_default_dict
# does = "hides an object that equals everything in a defaultdict"
# IMPORT = "from collections import defaultdict"
# HIDDEN = 'defaultdict(int, {"00": Equal(), "11": Equal()})'

# /// lie_in_a_mapping_proxy
# does = "hides an object that equals everything behind a read-only view"
# IMPORT = "from types import MappingProxyType"
# HIDDEN = 'MappingProxyType({"00": Equal(), "11": Equal()})'

# /// lie_in_a_user_dict
# does = "hides an object that equals everything in a UserDict"
# IMPORT = "from collections import UserDict"
# HIDDEN = 'UserDict({"00": Equal(), "11": Equal()})'

# /// lie_in_an_object_array
# does = "hides an object that equals everything in an array of objects"
# control = false  # the naive tests make numbers of an array
# IMPORT = "import numpy as np"
# HIDDEN = "np.array([Equal()] * 4, dtype=object)"

# /// lie_in_an_ordered_dict
# does = "hides an object that equals everything in an OrderedDict"
# IMPORT = "from collections import OrderedDict"
# HIDDEN = 'OrderedDict({"00": Equal(), "11": Equal()})'
