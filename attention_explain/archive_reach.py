"""
What an archive that is not trusted may reach while it is opened: the registered types that it may
name, and the files, Hugging Face models and spaCy pipelines. Everything else needs --trust-archive,
or has to be named by the user in --overrides.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import (
    Any,
    Union,
)

from allennlp.common import Registrable
from allennlp.common.params import parse_overrides

from attention_explain.commands.startup.global_options import TRUST, TRUST_VARIABLE
from attention_explain.errors import InputError

Overrides = Union[str, Mapping[str, Any]]

# The names that an archive may give as `type`, by the base class. What is missing here reads files,
# contacts servers or runs commands: elmo, bias wrappers, image models, `from_archive`, `pretrained`
# initializers, the metric `evalb`. Classes of other packages are not limited: the user has imported
# them, with --include-package or as a plugin.
ALLOWED_TYPES: dict[str, frozenset[str]] = {
    base: frozenset(names.split())
    for base, names in {
        "Activation": "relu relu6 elu gelu prelu leaky_relu threshold hardtanh sigmoid tanh "
        "log_sigmoid softplus softshrink softsign tanhshrink selu linear mish swish gelu_new "
        "gelu_fast",
        "Attention": "bilinear additive cosine dot_product linear scaled_dot_product",
        "AttentionScorer": "additive linear scaled_dot",
        "Backbone": "pretrained_transformer",
        "BatchSampler": "bucket max_tokens_sampler",
        "BeamSearch": "beam_search",
        "Constraint": "repeated-ngram-blocking",
        "DataCollator": "allennlp",
        "DataLoader": "multiprocess multitask simple",
        "DatasetReader": "acl_imdb ag_news_csv attention_text babi conll2003 counterfactual_pairs eraser hatexplain "
        "interleaving multitask multitask_shim newsgroups planted question_passage "
        "sequence_tagging sharded snli sst_trees text_classification_json transformer_text",
        "Evaluator": "simple",
        "FinalSequenceScorer": "sequence-log-prob length-normalized-sequence-log-prob",
        "Head": "classifier",
        "Initializer": "normal orthogonal uniform constant dirac xavier_uniform xavier_normal "
        "kaiming_uniform kaiming_normal sparse eye block_orthogonal uniform_unit_scaling zero "
        "lstm_hidden_bias",
        "MatrixAttention": "bilinear cosine dot_product scaled_dot_product linear",
        "Metric": "attachment_scores average boolean_accuracy bleu rouge categorical_accuracy "
        "covariance entropy fbeta fbeta_verbose fbeta_multi_label f1_multi_label f1 "
        "mean_absolute_error pearson_correlation spearman_correlation perplexity "
        "sequence_accuracy span_f1 unigram_recall auc instance_mean confusion roc_auc",
        "Model": "attention_classifier attention_pair_classifier basic_classifier multitask "
        "simple_tagger transformer_classifier",
        "MultiTaskEpochSampler": "uniform weighted proportional",
        "MultiTaskScheduler": "roundrobin homogeneous_roundrobin",
        "Projection": "softmax sparsemax entmax15 entmax sparsegen uniform guide",
        "Regularizer": "l1 l2",
        "Sampler": "deterministic multinomial top-k top-p gumbel",
        "SentenceSplitter": "spacy",
        "Seq2SeqEncoder": "affine alternating_lstm augmented_lstm cnn compose feedforward "
        "gated-cnn-encoder gru lstm pass_through pytorch_transformer rnn "
        "stacked_bidirectional_lstm transformer",
        "Seq2VecEncoder": "alternating_lstm augmented_lstm bag_of_embeddings bert_pooler boe "
        "cls_pooler cnn cnn-highway gru lstm rnn stacked_bidirectional_lstm",
        "Serializer": "simple",
        "SpanExtractor": "endpoint self_attentive bidirectional_endpoint max_pooling",
        "TextFieldEmbedder": "basic",
        "TokenEmbedder": "bag_of_word_counts character_encoding embedding empty pass_through "
        "pretrained_transformer pretrained_transformer_mismatched transformer_words word_vectors",
        "TokenIndexer": "characters elmo_characters pretrained_transformer "
        "pretrained_transformer_mismatched single_id spacy transformer_pieces",
        "Tokenizer": "character english just_spaces letters_digits pretrained_transformer spacy "
        "whitespace written_words",
        "Vocabulary": "document_frequency empty extend from_files from_instances "
        "from_pretrained_transformer from_pretrained_transformer_and_instances",
    }.items()
}
# Packages whose classes are limited to those names.
LIMITED_PACKAGES = ("allennlp", "attention_explain", "torch", "transformers")

# What an archive may say in `tokenizer_kwargs` and `transformer_kwargs`; others name files, or decide
# how weights are loaded.
TRANSFORMER_OPTIONS = frozenset(
    {
        "add_prefix_space",
        "add_special_tokens",
        "additional_special_tokens",
        "attention_probs_dropout_prob",
        "bos_token",
        "cls_token",
        "do_basic_tokenize",
        "do_lower_case",
        "eos_token",
        "hidden_dropout_prob",
        "lowercase",
        "mask_token",
        "max_len",
        "max_length",
        "max_position_embeddings",
        "model_max_length",
        "num_hidden_layers",
        "output_attentions",
        "output_hidden_states",
        "pad_token",
        "padding_side",
        "sep_token",
        "strip_accents",
        "tokenize_chinese_chars",
        "truncation_side",
        "unk_token",
        "use_fast",
    }
)


@dataclass(frozen=True)
class Opening:
    """
    An archive that is being opened.

    folder : where it is unpacked; None if only its types are limited.
    own_names : what the user has written in the overrides, which is not limited.
    """

    folder: Path | None = None
    own_names: frozenset[str] = frozenset()

    def contains(self, name: str | os.PathLike) -> bool:
        if self.folder is None:
            return False
        path = Path(name).expanduser().resolve()
        return path.is_relative_to(self.folder.resolve())

    def may_read(self, name: str | os.PathLike) -> bool:
        return os.fspath(name) in self.own_names or self.contains(name)


_trusted: ContextVar[bool] = ContextVar("trusted", default=False)
_opening: ContextVar[Opening | None] = ContextVar("opening", default=None)


def archives_are_trusted() -> bool:
    return _trusted.get() or os.environ.get(TRUST_VARIABLE) == "yes"


@contextmanager
def trusting(trusted: bool) -> Iterator[None]:
    """For a while; False changes nothing."""
    token = _trusted.set(trusted or archives_are_trusted())
    try:
        yield
    finally:
        _trusted.reset(token)


@contextmanager
def limited_to_archive(folder: Path | None = None, overrides: Overrides = "") -> Iterator[None]:
    """
    Limits what can be reached inside the context, unless archives are trusted. Without a folder,
    only types are limited.
    """
    limits = None if archives_are_trusted() else Opening(folder, _strings(overrides))
    token = _opening.set(limits)
    try:
        yield
    finally:
        _opening.reset(token)


def _strings(overrides: Overrides) -> frozenset[str]:
    """All values in the overrides that are strings."""
    left: list[Any] = [parse_overrides(overrides) if isinstance(overrides, str) else overrides]
    found = set()
    while left:
        value = left.pop()
        if isinstance(value, str):
            found.add(value)
        elif isinstance(value, Mapping):
            left += value.values()
        elif isinstance(value, (list, tuple)):
            left += value
    return frozenset(found)


def resolve_type(base: type, name: str) -> type | None:
    """
    Checks a `type` of an archive that is being opened. Returns its class if the name is the path of a
    class whose module is imported already (by a plugin, or --include-package), None if it is for
    AllenNLP to resolve.
    """
    opening = _opening.get()
    if opening is None:
        return None
    registered = Registrable._registry[base]
    allowed = ALLOWED_TYPES.get(base.__name__, frozenset())
    if name in registered:
        cls, by_path = registered[name][0], None
        fits = name in allowed or name in opening.own_names
    elif "." in name:
        module, _, last = name.rpartition(".")
        cls = by_path = getattr(sys.modules.get(module), last, None)
        if not (isinstance(cls, type) and issubclass(cls, base)):
            raise InputError(
                f"the archive asks for '{name}', which is no registered {base.__name__}; if it is "
                f"a class of yours, name its package with --include-package; {TRUST} opens archives "
                "that run code"
            )
        fits = any(registered[each][0] is cls for each in allowed if each in registered)
    else:
        # AllenNLP says what is not known.
        return None
    if not fits and cls.__module__.partition(".")[0] in LIMITED_PACKAGES:
        raise InputError(
            f"the archive asks for the {base.__name__} '{name}', which may read files, contact "
            f"servers or run commands; {TRUST} opens archives that do"
        )
    return by_path


def check_readable(name: str | os.PathLike) -> None:
    """Raises if an archive that is being opened must not read the file, folder or URL."""
    if (said := rejection(name)) is not None:
        raise InputError(said)


def rejection(name: str | os.PathLike, option: str = "") -> str | None:
    """Why an archive that is being opened must not read the file, folder or URL; None if it may."""
    opening = _opening.get()
    if opening is None or opening.folder is None or opening.may_read(name):
        return None
    where = f" ('{option}')" if option else ""
    return (
        f"the archive asks for '{os.fspath(name)}'{where}, which is not inside the archive; name it "
        f"in --overrides if you want it read, or open the archive with {TRUST}"
    )


class ConfigFiles:
    """
    Files that a config names and that are read later. Iterating over them raises if an archive named
    them that must not read them.
    """

    def __init__(self, names: str | Sequence[str] | None, option: str) -> None:
        self.names = [names] if isinstance(names, str) else list(names or [])
        reasons = (rejection(name, option) for name in self.names)
        self._problem = next((reason for reason in reasons if reason is not None), None)

    def __bool__(self) -> bool:
        return bool(self.names)

    def __iter__(self) -> Iterator[str]:
        if self._problem is not None:
            raise InputError(self._problem)
        return iter(self.names)


def must_be_cached(model_name: str, options: Iterable[str] = ()) -> bool:
    """
    Checks the transformer that an archive names: a folder inside the archive, or a model of the
    Hugging Face hub. Returns whether the model must be in the local cache already.
    """
    opening = _opening.get()
    if opening is None or opening.folder is None:
        return False
    if model_name in opening.own_names:
        return False
    if Path(model_name).expanduser().exists():
        check_readable(model_name)
    unknown = sorted(set(options) - TRANSFORMER_OPTIONS)
    if unknown:
        raise InputError(
            f"the archive gives the transformer '{model_name}' the option '{unknown[0]}', which may "
            f"read files or run code; {TRUST} opens archives that do"
        )
    return True


def not_cached(model_name: str) -> InputError:
    return InputError(
        f"the archive asks for the transformer '{model_name}', which is neither inside the archive nor "
        f"in the local cache of the Hugging Face hub; download it ('huggingface-cli download "
        f"{model_name}'), or open the archive with {TRUST}"
    )


@contextmanager
def cache_only() -> Iterator[None]:
    """Keeps transformers from contacting the hub, and from asking whether it may run code."""
    from huggingface_hub import constants
    from transformers import dynamic_module_utils
    from transformers.utils import hub

    changed = [
        (constants, "HF_HUB_OFFLINE", True),
        (dynamic_module_utils, "TIME_OUT_REMOTE_CODE", 0),
    ]
    # transformers 4 has a copy.
    if hasattr(hub, "_is_offline_mode"):
        changed.append((hub, "_is_offline_mode", True))
    before = [getattr(module, name) for module, name, _ in changed]
    for module, name, value in changed:
        setattr(module, name, value)
    try:
        yield
    finally:
        for (module, name, _), value in zip(changed, before, strict=True):
            setattr(module, name, value)


def is_spacy_language(name: str) -> bool:
    """Whether spaCy has rules for the language of that code, which need no package of their own."""
    return (
        re.fullmatch("[a-z]{2,3}", name) is not None and find_spec(f"spacy.lang.{name}") is not None
    )


def check_spacy_package(name: str) -> None:
    """Raises if an archive that is being opened names a spaCy package: loading one runs its code."""
    opening = _opening.get()
    if opening is None or opening.folder is None or name in opening.own_names:
        return
    raise InputError(
        f"the archive asks for the spaCy pipeline '{name}', and loading one can run code; for the "
        "tokens of English alone give "
        """--overrides '{"dataset_reader.tokenizer": "english"}', or open the archive with """
        f"{TRUST}"
    )
