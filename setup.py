from pathlib import Path

from setuptools import find_packages, setup

HERE = Path(__file__).parent


def requirements(name: str) -> list:
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith(("#", "-"))]


setup(
    name="attention_explain",
    version="0.2.0",
    description="Can attention, or any saliency method, be trusted as the explanation of a text "
    "model's predictions? The debate under one interface, as an AllenNLP plugin.",
    long_description=(HERE / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    python_requires=">=3.11,<3.12",
    packages=[*find_packages(include=["attention_explain*", "analysis*"]), "workflow"],
    # `python -m workflow` remains as an alias of `allennlp study` for one version.
    package_dir={"workflow": "attention_explain/compat/workflow_alias"},
    include_package_data=True,
    package_data={
        "analysis.papers": ["*/published/*.csv"],
        "attention_explain.commands": ["costs.toml"],
        "attention_explain.explore": ["page/*"],
        "attention_explain.heatmaps": ["texts.js"],
        "attention_explain.workflow": ["Snakefile", "profiles/*/config.yaml"],
    },
    # AllenNLP itself, torchvision and fairscale are not here: their stale pins would make pip
    # refuse the set. requirements-no-deps.txt has them, and `make install` installs them.
    install_requires=requirements("requirements.txt"),
    extras_require={
        "dev": requirements("requirements-dev.txt"),
        "workflow": ["snakemake>=9,<10"],
    },
    # Our `allennlp` takes the place of AllenNLP's own: see attention_explain/commands/startup/__main__.py.
    entry_points={"console_scripts": ["allennlp=attention_explain.commands.startup.__main__:main"]},
)
