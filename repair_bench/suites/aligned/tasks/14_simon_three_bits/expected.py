def expected(s):
    return {format(y, "03b"): 0.25 for y in range(8) if (y & int(s, 2)).bit_count() % 2 == 0}
