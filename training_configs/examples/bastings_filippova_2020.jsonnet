// An example of Bastings & Filippova 2020, who ask of any attention which saliency method to use instead.
// It is the run `bilstm_entmax15` of the study bastings_filippova_2020, on SST; once it is trained:
//
//   allennlp attribute runs/sst test.jsonl -o sst.parquet \
//     --interpreters training_configs/interpreters/bastings_filippova.jsonnet
local lib = import '../lib/lib.libsonnet';
lib.experiment(
  data=lib.data.sst,
  encoder=lib.encoders.bilstm,
  // Between softmax and sparsemax.
  attention=lib.attention.tanh + lib.attention.entmax15,
  // The paper trains nothing itself.
  training=lib.training.jain_wallace,
)
