"""Memory of the system, held for a moment."""

import mmap

MEGABYTE = 1_000_000


def hold(megabytes):
    """Hold so much memory, and give it back.

    Not an array: after many tests the heap may have a hole of that size which the
    process holds anyway, and an array in it takes nothing more from the system.
    """
    with mmap.mmap(-1, megabytes * MEGABYTE) as pages:
        pages[:: mmap.PAGESIZE] = bytes(len(range(0, len(pages), mmap.PAGESIZE)))
