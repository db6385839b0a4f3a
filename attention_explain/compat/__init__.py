"""
The places where AllenNLP 2.10.1 is mended: where it meets today's packages, where it lets a mistake
pass, where a broken training stays broken or becomes another one, and where it trusts what it opens.

Nothing else in this project patches anything. Each function mends one thing, says what was broken,
and has a test. Warnings are silenced one by one, by text and origin, never wholesale.
"""

from attention_explain.compat.opened_files import (
    fix_word_vector_files,
    limit_archives,
    mend_archive_loading,
    mend_class_names,
    mend_config_errors,
    mend_evaluation_without_batches,
    mend_local_paths,
    mend_lost_inputs,
    mend_lost_predictions,
    mend_predictor_arguments,
    mend_silent_evaluation,
    mend_weights_of_nothing,
)
from attention_explain.compat.starting import (
    SELDOM_USED,
    mend_plugin_imports,
    mend_swallowed_sigterm,
    quick_imports,
)
from attention_explain.compat.todays_packages import (
    fix_union_annotations,
    mend_checkpoint_loading,
    mend_device_numbers,
    mend_moves_to_nowhere,
    mend_pretrained_tokenizers,
    mend_reduce_on_plateau,
    mend_spawned_data_loader,
)
from attention_explain.compat.trainings import (
    fix_diverged_trainings,
    fix_inexact_recovery,
    fix_null_options,
    fix_unchecked_numbers,
    fix_vocabularies_of_splits,
    mend_half_checkpoints,
    mend_metrics_of_the_last_epoch,
    mend_recovered_averages,
    mend_reported_weights,
    mend_run_folders,
    mend_trainer_options,
    mend_training_log,
    mend_unchecked_configs,
    mend_unchecked_runs,
)

__all__ = ["SELDOM_USED", "apply", "quick_imports"]


def apply() -> None:
    """Mends AllenNLP. Calling it again changes nothing."""
    import allennlp

    if getattr(allennlp, "_mended_by_attention_explain", False):
        return
    allennlp._mended_by_attention_explain = True
    fix_union_annotations()
    mend_device_numbers()
    mend_reduce_on_plateau()
    mend_checkpoint_loading()
    mend_half_checkpoints()
    fix_inexact_recovery()
    mend_recovered_averages()
    mend_reported_weights()
    mend_metrics_of_the_last_epoch()
    mend_local_paths()
    mend_run_folders()
    mend_unchecked_runs()
    mend_unchecked_configs()
    fix_null_options()
    fix_unchecked_numbers()
    fix_diverged_trainings()
    fix_word_vector_files()
    mend_spawned_data_loader()
    mend_trainer_options()
    fix_vocabularies_of_splits()
    mend_moves_to_nowhere()
    mend_class_names()
    limit_archives()
    mend_pretrained_tokenizers()
    mend_weights_of_nothing()
    mend_archive_loading()
    mend_evaluation_without_batches()
    mend_predictor_arguments()
    mend_config_errors()
    mend_plugin_imports()
    mend_swallowed_sigterm()
    mend_training_log()
    mend_lost_inputs()
    mend_lost_predictions()
    mend_silent_evaluation()
