"""The questions of the verdict, one per file, registered in the order in which people read them."""

from analysis.verdict.question import register
from analysis.verdict.questions.finds_words import FindsWords
from analysis.verdict.questions.plausible import Plausible
from analysis.verdict.questions.specific import Specific
from analysis.verdict.questions.stable import Stable
from analysis.verdict.questions.unique import Unique
from analysis.verdict.questions.used import Used

for question in (Used(), Unique(), FindsWords(), Specific(), Stable(), Plausible()):
    register(question)
