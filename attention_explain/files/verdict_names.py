"""Names in verdict.json and in tables of verdicts that versions before 0.2 wrote, and their present names."""

from collections.abc import Container, Mapping
from typing import Any

ANSWERS = {"cannot be told": "inconclusive"}
QUESTIONS = {"only": "unique", "points": "finds_words", "model": "specific"}
COLUMNS = {
    "the only weights": "unique",
    "points to what matters": "finds the words that matter",
    "show": "recommended",
    "place of it": "recommended score",
    "place of it low": "recommended score low",
    "place of it high": "recommended score high",
}


def present_answer(answer: str) -> str:
    """The present name of an answer."""
    return ANSWERS.get(answer, answer)


def column_in(columns: Container[str], name: str) -> str:
    """The name that a table has for a column: the present one, or an earlier one."""
    earlier = (old for old, new in COLUMNS.items() if new == name and old in columns)
    return name if name in columns else next(earlier, name)


def present_verdict(record: Mapping[str, Any]) -> dict[str, Any]:
    """The content of verdict.json with present names."""
    return {
        **record,
        "attention": {
            **record["attention"],
            "answer": present_answer(record["attention"]["answer"]),
        },
        "questions": [
            {
                **each,
                "name": QUESTIONS.get(each["name"], each["name"]),
                "answer": present_answer(each["answer"]),
            }
            for each in record["questions"]
        ],
        "methods": [
            {"score" if key == "place" else key: value for key, value in each.items()}
            for each in record["methods"]
        ],
    }
