"""The script that starts the cluster reads a file of the project, which may move."""

import re

from tests.commands_run import PROJECT


def test_the_profile_that_the_script_reads_exists():
    script = (PROJECT / "tests" / "slurm" / "run.sh").read_text()
    (profile,) = re.findall(r"^cat (\S+) - >", script, re.MULTILINE)
    assert (PROJECT / profile).is_file()
