"""The sum of a store's row, as daemon/store/row_sum.c has it."""
import ctypes
import ctypes.util

from harness import Skip

MASK = (1 << 64) - 1
MIX = 0x9e3779b97f4a7c15
INT, NULL, TEXT, BLOB = 1, 2, 3, 4


def xxh3(data):
    name = ctypes.util.find_library("xxhash")
    if not name:
        raise Skip("no libxxhash")
    call = ctypes.CDLL(name).XXH3_64bits
    call.restype = ctypes.c_uint64
    call.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    return call(data, len(data))


def mix(total, tag, value):
    total = ((total ^ (value & MASK)) * MIX + tag) & MASK
    return total ^ (total >> 32)


def row_sum(table, *values):
    total = xxh3(table.encode())
    for value in values:
        if value is None:
            total = mix(total, NULL, 0)
        elif isinstance(value, int):
            total = mix(total, INT, value)
        elif isinstance(value, str):
            total = mix(total, TEXT, xxh3(value.encode()))
        else:
            total = mix(total, BLOB, xxh3(value))
    return mix(total, NULL, 1) >> 17
