"""
The table of bad inputs: one module for each kind of thing that can be wrong. More cases are more entries
there.
"""

from typing import List

from tests.faults.bad_inputs.archives import archive_cases
from tests.faults.bad_inputs.case import Case
from tests.faults.bad_inputs.configs import config_cases
from tests.faults.bad_inputs.data import data_cases
from tests.faults.bad_inputs.folders import folder_cases
from tests.faults.bad_inputs.options import option_cases
from tests.faults.bad_inputs.results import results_cases
from tests.faults.bad_inputs.studies import study_cases
from tests.faults.bad_inputs.tables import table_cases


def all_cases() -> List[Case]:
    return [
        *data_cases(),
        *archive_cases(),
        *folder_cases(),
        *config_cases(),
        *table_cases(),
        *results_cases(),
        *option_cases(),
        *study_cases(),
    ]
