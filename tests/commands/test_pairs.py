"""`attribute`, `perturb` and `faithfulness` on pairs: files, pages, and which text they are about."""

import json
from pathlib import Path

import pyarrow.parquet
import pytest

from attention_explain.commands.attribute import attribute_from_file
from attention_explain.commands.faithfulness import faithfulness_from_file
from attention_explain.commands.perturb import perturb_from_file
from tests.builders import ENCODERS
from tests.small_archive import small_archive

STORIES = "".join(
    f"1 Ada went to the {first}.\n2 Bob went to the {second}.\n3 Where is Ada?\t{first}\t1\n"
    for first, second in (("attic", "porch"), ("porch", "cellar"), ("cellar", "attic"))
)
METHODS = ["gradient-x-input", "leave-one-out", "random"]


@pytest.fixture(scope="module")
def stories(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("stories") / "qa1_train.txt"
    path.write_text(STORIES)
    return str(path)


@pytest.fixture(scope="module")
def archive(stories, tmp_path_factory) -> Path:
    return small_archive(
        tmp_path_factory.mktemp("pairs") / "run",
        reader={"type": "babi", "candidates": "passage", "lowercase": True},
        train=stories,
        type="attention_pair_classifier",
        query_encoder={"encoder": json.loads(json.dumps(ENCODERS["bilstm"]))},
    )


def read(path):
    table = pyarrow.parquet.read_table(path)
    return table.to_pylist(), json.loads(table.schema.metadata[b"attention_explain"])


def test_a_file_has_the_passage_with_scores_and_the_question_next_to_them(
    archive, stories, tmp_path
):
    out, page = tmp_path / "out.parquet", tmp_path / "out.html"
    attribute_from_file(str(archive), stories, out, ["attention", *METHODS], html=str(page))
    rows, metadata = read(out)
    assert [row["id"] for row in rows] == ["line-3", "line-6", "line-9"]
    for row in rows:
        assert row["tokens"][:2] == ["ada", "went"] and row["other"] == ["where", "is", "ada", "?"]
        assert row["rationale"] == [1] * 6 + [0] * 6
        assert all(len(row[method]) == 12 for method in ("attention", *METHODS))
    assert "side" not in metadata
    html = page.read_text()
    assert "where is ada ?" in html and "known causes" in html


@pytest.mark.parametrize(("side", "words"), [("query", 4), ("both", 16)])
def test_another_side_is_explained_and_judged(archive, stories, tmp_path, side, words):
    out, judged = tmp_path / "out.parquet", tmp_path / "judged.parquet"
    attribute_from_file(str(archive), stories, out, METHODS, side=side)
    rows, metadata = read(out)
    assert metadata["side"] == side
    for row in rows:
        assert len(row["tokens"]) == len(row["leave-one-out"]) == words
        assert len(row["other"]) == (12 if side == "query" else 4)
    faithfulness_from_file(
        str(archive),
        str(out),
        judged,
        measures=["comprehensiveness", "sufficiency"],
        erasures=["delete", "zero"],
        random_orders=5,
    )
    table = pyarrow.parquet.read_table(judged).to_pandas()
    assert set(table["id"]) == {"line-3", "line-6", "line-9"}
    known = table[table["measure"] == "comprehensiveness"]["value"].notna()
    assert known.any()


def test_passages_are_judged_and_their_attention_perturbed(archive, stories, tmp_path):
    out = tmp_path / "out.parquet"
    attribute_from_file(str(archive), stories, out, ["attention", *METHODS])
    judged = tmp_path / "judged.parquet"
    faithfulness_from_file(
        str(archive),
        str(out),
        judged,
        measures=["comprehensiveness", "decision_flip", "infidelity", "soft_sufficiency"],
        erasures=["delete"],
        random_orders=5,
    )
    assert len(pyarrow.parquet.read_table(judged)) > 0
    perturbed = tmp_path / "perturbed.parquet"
    names = ["permutation", "uniform", "removal-order", "drop-top"]
    perturb_from_file(str(archive), stories, perturbed, names)
    assert len(pyarrow.parquet.read_table(perturbed)) == 3
