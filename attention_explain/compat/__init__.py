"""
Patches of AllenNLP 2.10.1: for today's versions of its dependencies, for mistakes that it does not
report, for interrupted trainings, and for the files that it opens.

Nothing else in this project patches anything. Each function fixes one thing, says what was broken,
and has a test. Warnings are silenced one by one, by text and origin, never all at once.
"""

from attention_explain.compat import (
    opened_files,
    starting,
    todays_packages,
    todays_transformers,
    trainings,
)
from attention_explain.compat.starting import SELDOM_USED, quick_imports

__all__ = ["SELDOM_USED", "apply", "quick_imports"]


def apply() -> None:
    """Apply all patches. Calling it again changes nothing."""
    import allennlp

    if getattr(allennlp, "_fixed_by_attention_explain", False):
        return
    allennlp._fixed_by_attention_explain = True
    todays_packages.fix_union_annotations()
    todays_packages.fix_device_numbers()
    todays_packages.fix_reduce_on_plateau()
    todays_packages.fix_checkpoint_loading()
    trainings.fix_half_checkpoints()
    trainings.fix_inexact_recovery()
    trainings.fix_recovered_averages()
    trainings.fix_reported_weights()
    trainings.fix_metrics_of_the_last_epoch()
    opened_files.fix_local_paths()
    trainings.fix_run_folders()
    trainings.fix_unchecked_runs()
    trainings.fix_unchecked_configs()
    trainings.fix_null_options()
    trainings.fix_unchecked_numbers()
    trainings.fix_diverged_trainings()
    opened_files.fix_word_vector_files()
    todays_packages.fix_spawned_data_loader()
    trainings.fix_trainer_options()
    trainings.fix_vocabularies_of_splits()
    todays_packages.fix_moves_to_nowhere()
    opened_files.fix_class_names()
    opened_files.limit_archives()
    todays_transformers.fix_pretrained_tokenizers()
    todays_transformers.fix_pretrained_models()
    todays_transformers.fix_push_to_hub()
    opened_files.fix_weights_of_nothing()
    opened_files.fix_archive_loading()
    opened_files.fix_evaluation_without_batches()
    opened_files.fix_predictor_arguments()
    opened_files.fix_config_errors()
    starting.fix_plugin_imports()
    starting.fix_swallowed_sigterm()
    trainings.fix_training_log()
    opened_files.fix_lost_inputs()
    opened_files.fix_lost_predictions()
    opened_files.fix_silent_evaluation()
