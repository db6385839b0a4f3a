"""The error for everything that a user can correct: an input, a config, an option or a file."""


class InputError(Exception):
    """
    Says what is wrong, where, and what to do. Commands print the message without a traceback and exit
    with a code other than 0.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def __reduce__(self) -> tuple:
        return type(self), (self.message,)

    def __str__(self) -> str:
        return self.message
