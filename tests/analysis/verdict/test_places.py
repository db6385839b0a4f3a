"""Where methods stand over the ways to erase words, each of which counts once."""

import pytest

from analysis.verdict.files import load_files
from analysis.verdict.places import places_of
from tests.analysis.verdict.verdict_files import write_folder

ERASURES = ("delete", "unk", "zero")
PLACES = {
    "attention": {"delete": 0.1, "unk": 0.4, "zero": 0.4},
    "lrp": {"delete": 0.9, "unk": 0.8, "zero": 0.8},
}


def test_erasures_that_come_to_the_same_are_one(tmp_path):
    places = places_of(
        load_files(write_folder(tmp_path, places=PLACES, spread=0.0, erasures=ERASURES))
    )
    assert places.erasures == ["delete", "unk"]
    assert places.place("attention").estimate.mean == pytest.approx(0.25)


@pytest.mark.parametrize(
    "lrp,spread", [({**PLACES["lrp"], "zero": 0.7}, 0.0), (PLACES["lrp"], 0.1)]
)
def test_those_that_differ_by_any_method_or_text_are_not(tmp_path, lrp, spread):
    made = write_folder(tmp_path, places={**PLACES, "lrp": lrp}, spread=spread, erasures=ERASURES)
    assert places_of(load_files(made)).erasures == list(ERASURES)
