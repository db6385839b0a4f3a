"""
attention_explain: can attention, or any saliency method, be trusted as the explanation of this
text model's predictions?

An AllenNLP plugin. Importing this package registers everything it has, which is what the file
`.allennlp_plugins`, `--include-package attention_explain` and our `allennlp` command do.
"""

from attention_explain.commands.startup import interrupts

if interrupts.starts_a_command():
    interrupts.end_at_once()

try:
    # First of all: what makes AllenNLP 2.10.1 run on today's torch.
    from attention_explain import compat, settings

    compat.quiet_imports()
    with compat.quick_imports():
        import attention_explain.commands
        import attention_explain.counterfactual
        import attention_explain.data
        import attention_explain.faithfulness
        import attention_explain.interpret
        import attention_explain.models
        import attention_explain.modules
        import attention_explain.predictors
        import attention_explain.training  # noqa: F401
        from attention_explain.explain import explain

        compat.apply()
except ModuleNotFoundError as missing:
    # AllenNLP only logs a ModuleNotFoundError of a plugin and goes on without it; what the user
    # then sees is an unknown model type.
    raise ImportError(
        f"attention_explain needs the package {missing.name!r}, which is not installed here; "
        "`make install` in the project's folder installs everything into .venv"
    ) from missing

settings.set_defaults()
settings.flush_denormals()
interrupts.raise_again()

__version__ = "0.1.0"
__all__ = ["explain"]
