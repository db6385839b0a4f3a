import re
from pathlib import Path

from setuptools import find_packages, setup

HERE = Path(__file__).parent

# From the minor version that the tests run with, up to the next major version. constraints.txt has
# the exact versions. Three packages are missing here because their own version pins contradict this
# list: AllenNLP, fairscale and torchvision, in requirements-no-deps.txt.
DEPENDENCIES = [
    "base58>=2.1,<3",
    "cached-path>=1.8,<2",
    "captum>=0.9,<1",
    "dill>=0.4,<1",
    "entmax>=1.3,<2",
    "filelock>=3.32,<4",
    "h5py>=3.16,<4",
    # transformers 5 requires 1.31 or later; cached-path, a version below 2.
    "huggingface_hub>=0.36,<2",
    "jsonnet>=0.22,<1",
    "lmdb>=3.0,<4",
    "matplotlib>=3.11,<4",
    "more-itertools>=11.2,<12",
    "nltk>=3.10,<4",
    "numpy>=2.4,<3",
    "pandas>=3.1,<4",
    "pillow>=13.0,<14",
    "protobuf>=7.36,<8",
    "pyarrow>=26.0,<27",
    # Versions are dates.
    "regex>=2026.11",
    "sacremoses>=0.2,<1",
    "scikit-learn>=1.9,<2",
    "scipy>=1.17,<2",
    "sentencepiece>=0.2,<1",
    "spacy>=3.8,<4",
    "starlette>=1.10,<2",
    "tensorboardX>=2.6,<3",
    "termcolor>=3.3,<4",
    "torch>=2.13,<3",
    "traitlets>=5.16,<6",
    # What AllenNLP needs and version 5 lacks is in attention_explain/compat/todays_transformers.py.
    "transformers>=4.49,<6",
    "typer>=0.29,<1",
    "uvicorn>=0.54,<1",
]


def version() -> str:
    """Return `__version__` of the package, without importing it."""
    text = (HERE / "attention_explain" / "__init__.py").read_text(encoding="utf-8")
    return re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)[1]


setup(
    name="attention_explain",
    version=version(),
    description="Can attention, or any saliency method, be trusted as the explanation of a text "
    "model's predictions? The debate under one interface, as an AllenNLP plugin.",
    long_description=(HERE / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    author="The attention_explain developers",
    license="Apache-2.0",
    license_files=["LICENSE"],
    keywords=["interpretability", "attention", "saliency", "faithfulness", "AllenNLP"],
    classifiers=[
        "Development Status :: 4 - Beta",
        "Environment :: Console",
        "Intended Audience :: Science/Research",
        "Operating System :: POSIX",
        "Programming Language :: Python :: 3",
        "Programming Language :: Python :: 3.11",
        "Topic :: Scientific/Engineering :: Artificial Intelligence",
        "Typing :: Typed",
    ],
    python_requires=">=3.11,<3.12",
    packages=[
        *find_packages(include=["attention_explain*", "analysis*"]),
        "attention_explain.training_configs",
        "workflow",
    ],
    package_dir={
        # At the top level of the repository, and inside the package in the wheel.
        "attention_explain.training_configs": "training_configs",
        # `python -m workflow` remains as an alias of `allennlp study` for one version.
        "workflow": "attention_explain/compat/workflow_alias",
    },
    package_data={
        "analysis": ["py.typed"],
        "analysis.papers": ["*/claims.toml", "*/published/*.csv"],
        "analysis.verdict": ["bounds.toml"],
        "attention_explain": ["costs.toml", "py.typed"],
        "attention_explain.data": ["edited/*.jsonl"],
        "attention_explain.data.planted": ["words.toml"],
        "attention_explain.explore": ["page/*"],
        "attention_explain.heatmaps": ["texts.js"],
        "attention_explain.training_configs": ["*/*.jsonnet", "*/*.libsonnet"],
        "attention_explain.workflow": ["Snakefile", "profiles/*/config.yaml"],
    },
    install_requires=DEPENDENCIES,
    # Our `allennlp` replaces AllenNLP's own: see attention_explain/commands/startup/__main__.py.
    entry_points={"console_scripts": ["allennlp=attention_explain.commands.startup.__main__:main"]},
)
