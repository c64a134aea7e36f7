# does = "mixes tabs and spaces"
# accept = ["exception"]
source = "def answer():\n\tif 1:\n        return 1\n"
