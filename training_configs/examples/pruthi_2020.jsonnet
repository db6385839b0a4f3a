// An example of Pruthi et al. 2020: attention that is punished for what it puts on pronouns, in a model
// that needs them. It is the run `bilstm_plain_1` of the study pruthi_2020, on the corpus `pronoun`.
// ATTENTION_EXPLAIN_STRENGTH names another strength of the penalty; with 0 it is only measured.
local lib = import '../lib/lib.libsonnet';
lib.deceptive(
  lib.experiment(
    // Its files say which tokens are impermissible.
    data=lib.data.pronoun,
    encoder=lib.encoders.bilstm,
    attention=lib.attention.tanh,
    training=lib.training.pruthi,
  ),
)
