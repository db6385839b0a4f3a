"""`allennlp verdict` from the model to the page, for pairs, several classes, folders of transformers and seeds."""

import json
import random
import shutil
from pathlib import Path

import pytest
import torch
from allennlp.data import DatasetReader

from attention_explain.commands.verdict import verdict_from_files
from attention_explain.files.faithfulness import RELEVANCE
from tests.builders import ENCODERS, params
from tests.heatmaps.elements import Elements
from tests.small_archive import small_archive
from tests.tiny_transformers import WORDS as PIECES
from tests.tiny_transformers import save_tiny_transformer

TEXTS = 24
WORDS = ["good", "bad", "fine", "dull", "film", "plot", "acting", "never", "very", "the", "a", "of"]
BEGINNINGS = ("Yes, ", "Partly: ", "No: ", "Inconclusive: ")


def texts(words=WORDS, labels=("0", "1", "2"), number=TEXTS) -> list[dict]:
    draw = random.Random(1)
    return [
        {
            "id": f"text-{each}",
            "text": " ".join(draw.sample(words, 5 + each % 3)),
            "label": labels[each % len(labels)],
        }
        for each in range(number)
    ]


def write(path: Path, lines: list[dict], labelled: bool = True) -> Path:
    """Without labels, it is not asked whether the model has learned anything."""
    kept = [{key: line[key] for key in line if labelled or key != "label"} for line in lines]
    path.write_text("".join(json.dumps(line) + "\n" for line in kept))
    return path


def larger(archive: Path, factor: float = 3.0) -> Path:
    """The folder of a run, with larger weights so that words matter."""
    run = archive.parent
    archive.unlink()
    weights = torch.load(run / "best.th")
    torch.save({name: factor * values for name, values in weights.items()}, run / "best.th")
    return run


def judged(models, data: Path, folder: Path, **options) -> dict:
    """What `verdict.json` says; the outputs agree with it."""
    options = {"methods": ["gradient-x-input", "random"], "quick": True, **options}
    assert verdict_from_files([str(each) for each in models], str(data), folder, **options) == 0
    facts = json.loads((folder / "verdict.json").read_text())
    page = (folder / "verdict.html").read_text()
    for text in (facts["headline"], facts["next_step"]):
        assert text and text in (folder / "verdict.md").read_text()
    assert facts["headline"].startswith(BEGINNINGS) and not facts["nothing"]
    assert Elements(page).all("h1") and "nan" not in page.split("</style>")[1].split()
    return facts


def measured(facts: dict) -> dict:
    """The answer of each question; where it was asked, it has an answer or a reason."""
    return {each["name"]: each for each in facts["questions"]}


@pytest.fixture(scope="module")
def several(tmp_path_factory) -> Path:
    """A model of three classes."""
    folder = tmp_path_factory.mktemp("classes")
    train = write(folder / "train.jsonl", texts())
    reader = {"type": "attention_text", "tokenizer": {"type": "just_spaces"}}
    return larger(small_archive(folder / "run", reader=reader, train=str(train)))


def test_of_several_classes(several, tmp_path):
    data = write(tmp_path / "data.jsonl", texts(), labelled=False)
    facts = judged([several], data, tmp_path / "out")
    assert facts["texts"] == TEXTS and facts["stopped"]["texts"] == TEXTS
    assert facts["reliability"] is not None and facts["another_training"] == ""
    questions = measured(facts)
    assert {"where", "direction", "necessary", "sufficient", "used"} <= questions.keys()
    assert -1 < facts["attention"]["score"] <= 1


def test_of_pairs_of_question_and_passage(tmp_path):
    planted = {"type": "planted", "preset": "question", "sizes": {"train": 24, "dev": 2, "test": 2}}
    lines = [
        {
            "id": each["metadata"].metadata["id"],
            "passage": " ".join(each["metadata"].metadata["tokens"][:12]),
            "question": " ".join(token.text for token in each["query"]),
            "answer": each["label"].label,
        }
        for each in DatasetReader.from_params(params(planted)).read("train")
    ]
    reader = {"type": "question_passage", "tokenizer": {"type": "just_spaces"}}
    run = larger(
        small_archive(
            tmp_path / "run",
            reader=reader,
            train=str(write(tmp_path / "train.jsonl", lines)),
            type="attention_pair_classifier",
            query_encoder={"encoder": json.loads(json.dumps(ENCODERS["bilstm"]))},
        )
    )
    unlabelled = [{key: line[key] for key in line if key != "answer"} for line in lines]
    facts = judged([run], write(tmp_path / "data.jsonl", unlabelled), tmp_path / "out")
    assert facts["texts"] == TEXTS
    # The page has examples with their questions.
    page = (tmp_path / "out/verdict.html").read_text()
    assert any(line["question"] in page for line in lines)


def test_of_a_folder_of_transformers(tmp_path):
    folder = save_tiny_transformer(tmp_path / "bert", "bert")
    words = [each for each in PIECES if each.isalpha()]
    data = write(tmp_path / "data.jsonl", texts(words), labelled=False)
    facts = judged([folder], data, tmp_path / "out")
    assert facts["texts"] == TEXTS and measured(facts)["where"]["answer"] in (
        *("yes", "partly", "no", "inconclusive"),
        "depends on how words are removed",
    )


@pytest.mark.slow
def test_of_three_seeds_with_a_line_about_another_training(several, tmp_path):
    seeds = [several]
    for seed in (2, 3):
        run = Path(shutil.copytree(several, tmp_path / f"seed-{seed}"))
        draw = torch.Generator().manual_seed(seed)
        weights = torch.load(run / "best.th")
        moved = {
            name: values + 0.3 * torch.randn(values.shape, generator=draw)
            for name, values in weights.items()
        }
        torch.save(moved, run / "best.th")
        config = json.loads((run / "config.json").read_text())
        (run / "config.json").write_text(json.dumps({**config, "pytorch_seed": seed}))
        seeds.append(run)
    data = write(tmp_path / "data.jsonl", texts(), labelled=False)
    facts = judged(seeds, data, tmp_path / "out")
    assert facts["seeds"] == 3 and len(facts["weights_sha256"]) == 3
    assert facts["another_training"].startswith("Another training ")
    assert facts["another_training"] in (tmp_path / "out/verdict.md").read_text()


@pytest.mark.slow
def test_a_small_budget_ends_with_20_texts_and_a_larger_one_continues(several, tmp_path):
    data = write(tmp_path / "data.jsonl", texts(), labelled=False)
    first = judged([several], data, tmp_path / "out", budget=1e-6)
    assert first["texts"] == 20 and first["stopped"]["available"] == TEXTS
    assert first["stopped"]["why"] == "budget ended"
    second = judged([several], data, tmp_path / "out")
    assert second["texts"] == TEXTS and second["stopped"]["earlier_verdicts"] == 1
    assert second["stopped"]["why"] == "data ended"


def test_a_folder_of_the_first_edition_is_read_with_a_notice(several, tmp_path, capsys):
    """It has no measure `relevance`."""
    from analysis.__main__ import main
    from analysis.verdict import questions

    old = [{"type": name} for name in ("comprehensiveness", "sufficiency")]
    data = write(tmp_path / "data.jsonl", texts(), labelled=False)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(questions, "required_components", lambda quick: (["permutation"], old))
        facts = judged([several], data, tmp_path / "out")
    assert facts["attention"]["reason"] == "relevance was not measured"
    capsys.readouterr()
    assert main(["verdict", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Inconclusive: these files do not say which words matter")
    assert f"no measure `{RELEVANCE}`" in (tmp_path / "out/verdict.md").read_text()
