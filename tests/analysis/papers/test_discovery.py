"""Papers are found by their folders, and have what their folders declare."""

from analysis.commands.table import find_exhibits
from analysis.papers.discovery import NAMES, PAPERS, find_claim


def test_papers_come_as_they_appeared():
    years = [paper.year for paper in PAPERS]
    assert years == sorted(years) and {2019, 2020, 2021} <= set(years)
    assert len({paper.name for paper in PAPERS}) == len(PAPERS)


def test_a_paper_has_what_it_is_asked_for_by():
    for paper in PAPERS:
        assert paper.claims and all(
            find_claim(one.name).paper == paper.title for one in paper.claims
        )
        for exhibit in paper.exhibits:
            assert exhibit.name in NAMES
            assert find_exhibits(exhibit.name).exhibits == (exhibit,)


def test_a_folder_without_a_paper_is_none(tmp_path, monkeypatch):
    from analysis import papers
    from analysis.papers import discovery

    (tmp_path / "mine_et_al").mkdir()
    (tmp_path / "mine_et_al/__init__.py").write_text(
        "from analysis.papers.shared.paper import Paper\n"
        "PAPER = Paper('mine', 'Mine et al. 2020', order=-1)\n"
    )
    (tmp_path / "helpers").mkdir()
    (tmp_path / "helpers/__init__.py").touch()
    monkeypatch.setattr(papers, "__path__", [*papers.__path__, str(tmp_path)])
    found = discovery.declared_papers()
    assert len(found) == len(PAPERS) + 1
    assert next(paper.name for paper in found if paper.year == 2020) == "mine"
