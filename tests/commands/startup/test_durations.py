import pytest

from attention_explain.messages import in_words


@pytest.mark.parametrize(
    "seconds, said",
    [
        (30, "30 s"),
        (600, "10 min"),
        (5000, "83 min"),
        (5400, "1.5 h"),
        (7200, "2.0 h"),
        (864000, "10.0 days"),
    ],
)
def test_time_is_told_in_the_unit_one_thinks_in(seconds, said):
    assert in_words(seconds) == said
