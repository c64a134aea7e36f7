# does = "declares an encoding that it is not in"
# accept = ["returned", "exception"]
source = "# -*- coding: utf-7 -*-\ndef answer():\n    return 1\n"
