"""Reads the output of `allennlp verdict` for the explorer: its answer, and its page as the evidence."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from attention_explain.archives import weights_sha256
from attention_explain.errors import InputError
from attention_explain.files.records import read_json
from attention_explain.files.verdict_names import present_verdict

ANSWER, EVIDENCE = "verdict.json", "verdict.html"
WANTED = ("model", "corpus", "texts", "attention", "questions", "methods", "recommended", "nothing")


def read_verdict(folder: str) -> dict[str, Any]:
    """The content of `verdict.json`."""
    path = Path(folder) / ANSWER
    if not path.is_file():
        raise InputError(
            f"{folder}: is not the folder of a verdict (no {ANSWER}). 'allennlp verdict' writes one."
        )
    try:
        verdict = read_json(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: is not JSON ({error})") from error
    missing = [name for name in WANTED if not isinstance(verdict, dict) or name not in verdict]
    if missing:
        raise InputError(f"{path}: is not a verdict (no '{missing[0]}')")
    try:
        return present_verdict(verdict)
    except (AttributeError, KeyError, TypeError) as error:
        raise InputError(f"{path}: is not a verdict ({error!r})") from error


def check_about(verdict: Mapping[str, Any], models: Sequence[torch.nn.Module], folder: str) -> str:
    """Refuses the verdict on other models. Returns what can only be noted: that nobody can tell."""
    judged = verdict.get("weights_sha256")
    if not judged:
        return (
            f"{Path(folder) / ANSWER}: does not say which model it is about, as older ones do not; "
            "'python -m analysis verdict' writes it anew"
        )
    if not any(weights_sha256(model) in judged for model in models):
        raise InputError(
            f"{folder}: is the verdict on another model ({verdict['model']} on {verdict['corpus']}); "
            "give 'allennlp verdict' the one that is to be explored"
        )
    return ""


def evidence(folder: str) -> bytes:
    """The page of the verdict, complete in itself; empty where there is none."""
    path = Path(folder) / EVIDENCE
    return path.read_bytes() if path.is_file() else b""
