# does = "declares an unknown encoding"
# accept = ["returned", "exception"]
source = "# -*- coding: quantum -*-\ndef answer():\n    return 1\n"
