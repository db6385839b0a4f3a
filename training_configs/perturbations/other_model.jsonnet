// The attention of another model, from the file that the variable OTHER names:
//   OTHER=other.parquet allennlp perturb ... --perturbations training_configs/perturbations/other_model.jsonnet
['uniform', 'random', { type: 'other-model', file: std.extVar('OTHER') }]
