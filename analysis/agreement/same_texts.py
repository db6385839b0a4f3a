"""Files can be compared if they are about the same texts, and say of each the same."""

from typing import Sequence

from analysis.errors import AnalysisError
from analysis.text_files import TextFile


def check_same_texts(files: Sequence[TextFile]) -> None:
    """The first file is what the others have to match."""
    first = files[0]
    _check_ids_differ(first)
    for file in files[1:]:
        both = f"{first.path} and {file.path}"
        if first.model.corpus != file.model.corpus:
            corpora = f"{first.model.corpus} and {file.model.corpus}"
            raise AnalysisError(f"{both} are about different corpora, {corpora}")
        if len(first.texts) != len(file.texts):
            numbers = f"{len(first.texts)} and {len(file.texts)}"
            raise AnalysisError(f"{both} are about different data, {numbers} texts")
        unlike = first.texts["id"].to_numpy() != file.texts["id"].to_numpy()
        if unlike.any():
            place = int(unlike.argmax())
            ids = " and ".join(f"'{one.texts['id'].iloc[place]}'" for one in (first, file))
            raise AnalysisError(f"{both} do not have the same ids: text {place + 1} is {ids}")
        if first.metadata.get("data_sha256") != file.metadata.get("data_sha256"):
            raise AnalysisError(f"{both} are about different data, though the ids are the same")


def _check_ids_differ(file: TextFile) -> None:
    repeated = file.texts["id"].duplicated()
    if repeated.any():
        name = file.texts["id"][repeated].iloc[0]
        raise AnalysisError(f"{file.path}: the id '{name}' is there more than once")
