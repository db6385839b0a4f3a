"""What is said of files that are not what was written, or cannot be read or written at all."""

import errno

# Of a disk, or of what somebody may put on it.
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)


class Damaged(Exception):
    """The message is a sentence that names the file."""


def told(error: OSError) -> str:
    """In a sentence, for people; not all of these errors know their file."""
    if error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if error.errno in FULL:
        return f"nothing more can be written ({error.strerror})"
    return str(error)
