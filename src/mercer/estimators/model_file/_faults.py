"""What is wrong with a file, before it is known which file."""


class Fault(Exception):
    """One thing that is wrong, as the end of a sentence that begins with the file."""


class ForeignContent(Fault):
    """Something in the payload that `save` does not put there; without a full stop."""
