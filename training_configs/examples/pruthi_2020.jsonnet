// An example of Pruthi et al. 2020: attention on pronouns is penalised, in a model
// that needs them. It is the run `bilstm_1` of the study pruthi_2020, on the corpus `pronoun`.
// ATTENTION_EXPLAIN_STRENGTH names another strength of the penalty; with 0 it is only measured.
local lib = import '../lib/lib.libsonnet';
lib.deceptive(
  lib.experiment(
    // Its files say which tokens are impermissible.
    data=lib.data.pronoun,
    encoder=function(dim) lib.encoders.bilstm(dim, 64),
    attention=lib.attention.linear,
    training=lib.training.pruthi,
  ),
)
