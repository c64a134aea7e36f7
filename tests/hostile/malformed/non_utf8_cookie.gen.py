# does = "declares a wrong encoding"
# accept = ["returned", "exception"]
source = "# -*- coding: utf-7 -*-\ndef answer():\n    return 1\n"
