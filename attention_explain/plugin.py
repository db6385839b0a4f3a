"""
The AllenNLP plugin: importing this module applies the compatibility patches and registers all readers,
models, interpreters, callbacks and commands. `.allennlp_plugins`, `--include-package attention_explain`
and our `allennlp` command import it.
"""

from attention_explain import signals

if signals.starts_a_command():
    signals.exit_immediately()

try:
    # The patches that let AllenNLP 2.10.1 run on today's torch come first.
    from attention_explain import compat, settings

    with compat.quick_imports():
        import attention_explain.commands.registered
        import attention_explain.counterfactual
        import attention_explain.data
        import attention_explain.data.planted
        import attention_explain.faithfulness
        import attention_explain.interpret
        import attention_explain.models
        import attention_explain.modules
        import attention_explain.predictors
        import attention_explain.training  # noqa: F401

        compat.apply()
except ModuleNotFoundError as missing:
    # AllenNLP only logs a plugin's ModuleNotFoundError and continues without the plugin; the user
    # would then see an unknown model type.
    raise ImportError(
        f"attention_explain needs the package {missing.name!r}, which is not installed here. In a "
        "checkout, run `make install`. With a wheel, run `pip install --no-deps allennlp==2.10.1 "
        "fairscale==0.4.6 torchvision==0.15.2`, then `pip install --force-reinstall --no-deps` with "
        "the wheel: AllenNLP and attention_explain both have a command `allennlp`."
    ) from missing

settings.set_defaults()
settings.flush_denormals()
signals.restore_handlers()
