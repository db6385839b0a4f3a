"""Ctrl-C or SIGTERM while a command still imports what it needs."""

import signal
import sys

import pytest

from tests.commands_run import PROJECT, run

# Sends itself a signal as soon as a package is asked for; some packages catch whatever happens there.
PRESSED = """
import os, signal, sys
sys.argv = [{argv!r}]

class Press:
    def find_spec(self, name, path=None, target=None):
        if name == "torch":
            try:
                os.kill(os.getpid(), {number})
            except BaseException:
                {caught}

sys.meta_path.insert(0, Press())
# The process that runs these tests may itself have been told to ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
{before}
import attention_explain.plugin
"""
IGNORED = "signal.signal(signal.SIGINT, signal.SIG_IGN)\nsys.modules['torch'] = None"


def pressed(argv: str, caught: str = "raise", before: str = "", number: int = signal.SIGINT):
    code = PRESSED.format(argv=argv, caught=caught, before=before, number=int(number))
    done = run([sys.executable, "-c", code], PROJECT)
    return done.returncode, done.stderr


@pytest.mark.parametrize("argv", ["/somewhere/bin/allennlp", "-m"])
@pytest.mark.parametrize("caught", ["raise", "pass"])
def test_a_command_ends_in_a_word(argv, caught):
    assert pressed(argv, caught) == (128 + signal.SIGINT, "\nstopped\n")


def test_a_command_ends_in_a_word_at_sigterm():
    expected = (128 + signal.SIGTERM, "\nstopped\n")
    assert pressed("allennlp", "pass", number=signal.SIGTERM) == expected


def test_a_program_that_imports_the_project_is_left_alone():
    _, said = pressed("/somewhere/my_script.py")
    assert said.strip().endswith("KeyboardInterrupt") and "stopped" not in said
    assert pressed("/somewhere/my_script.py", number=signal.SIGTERM) == (-signal.SIGTERM, "")


def test_what_was_told_to_ignore_it_still_does():
    _, said = pressed("allennlp", before=IGNORED)
    assert "attention_explain needs the package 'torch'" in said and "stopped" not in said
