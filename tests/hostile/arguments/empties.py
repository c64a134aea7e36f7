# control = "unguarded"
print("attacking", flush=True)


def answer(given):
    if isinstance(given, KIND):
        CHANGE
        return ANSWER
    return None


# /// empties_the_dict
# does = "empties the dict that it was given and returns an empty one"
# KIND = "dict"
# CHANGE = "given.clear()"
# ANSWER = "{}"

# /// empties_the_list
# does = "empties the list that it was given and returns an empty one"
# KIND = "list"
# CHANGE = "given.clear()"
# ANSWER = "[]"

# /// orders_the_list_its_way
# does = "fills its list argument with values that are easy to sort"
# KIND = "list"
# CHANGE = "given[:] = [0]"
# ANSWER = "[0]"
