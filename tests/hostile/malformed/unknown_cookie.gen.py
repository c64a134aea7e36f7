# does = "declares an encoding that there is not"
# accept = ["returned", "exception"]
source = "# -*- coding: quantum -*-\ndef answer():\n    return 1\n"
