"""Claims find their numbers in the tables as the commands write them."""

from analysis.__main__ import main
from analysis.claims.claim import judge_claims
from analysis.claims.table_rows import read_tables
from analysis.papers.discovery import CLAIMS, TABLES
from tests.analysis.papers.families import write_family
from tests.analysis.papers.madsen.test_recursive_roar import CURVES, write_curves
from tests.analysis.papers.pruthi.test_deception import run as deceptive_run
from tests.analysis.papers.studies import MEISTER, write_run

METHODS = (*MEISTER, "gradient-x-input")
# They need guided and frozen models, and faithfulness, of which there are no small files here.
LEFT_OUT = {"of-use-to-others", "order-of-guides", "adversary-of-no-use", "frozen-adversary"}
LEFT_OUT |= {"saliency-is-more-faithful", "without-sign-too", "attention-violates-signs"}


def test_every_claim_finds_its_numbers(tmp_path, undrawn):
    models = {
        "soft": {},
        "sparse": {"projection": "sparsemax"},
        "affine": {"encoder": "affine"},
        **{
            f"sparsegen_{number}": {"projection": {"type": "sparsegen", "lambda_": number}}
            for number in (0.25, 0.5)
        },
    }
    runs = [
        str(write_run(tmp_path / f"{name}_{seed}.parquet", METHODS, seed=seed, texts=12, **options))
        for name, options in models.items()
        for seed in (1, 2)
    ]
    # Of the sparser ones Meister et al. alone make a claim.
    few = [run for run in runs if "sparsegen" not in run]
    family = str(write_family(tmp_path / "family"))
    deceptive = [
        str(deceptive_run(tmp_path, strength, 0.9, 0.1 * strength, seed))
        for strength in (0, 1)
        for seed in (1, 2)
    ]
    chance = CURVES["random"]
    retrained = write_curves(
        tmp_path / "retrained",
        curves={"random": chance, "integrated-gradients": chance, "gradient-x-input": chance},
    )
    found = set()
    for number, commands in enumerate(
        [
            [
                ["table", "jain-wallace", *few],
                ["table", "neely-schouten", *few],
                ["table", "meister", *runs],
                ["agreement", *few, "--draws", "100", "--control-draws", "2"],
            ],
            [
                ["table", "wiegreffe-pinter", family],
                ["table", "meister-table-5", family],
                ["table", "neely-schouten-usage", family],
                ["table", "serrano-smith", family],
                ["table", "jain-wallace", family],
                ["table", "pruthi", *deceptive],
                ["table", "madsen", *map(str, retrained)],
            ],
        ]
    ):
        out = tmp_path / f"out_{number}"
        for command in commands:
            assert main([*command, "-o", str(out)]) == 0
        found |= set(judge_claims(read_tables(out, TABLES), CLAIMS)["name"])
    # Nothing makes tables of these papers yet.
    untabled = ("Mohankumar et al. 2020", "Bastings et al. 2022")
    made = {claim.name for claim in CLAIMS if claim.paper not in untabled}
    assert made - found == LEFT_OUT
