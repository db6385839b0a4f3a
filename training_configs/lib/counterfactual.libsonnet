// Models that are trained to attend otherwise, or on masked texts. Each function takes a config and adds
// to it:
//
//   lib.adversary(import '../examples/jain_wallace_2019.jsonnet', epochs=80)
//
// What a sweep varies is read from the environment where it is not given:
//   ATTENTION_EXPLAIN_BASE      the archive or run folder of the base (default: runs/base)
//   ATTENTION_EXPLAIN_LAMBDA    what other attention is worth to an adversary (default: 0.001)
//   ATTENTION_EXPLAIN_STRENGTH  of the penalty on impermissible tokens (default: 1)
//   ATTENTION_EXPLAIN_GUIDE     folder with train.parquet, dev.parquet and test.parquet, made by
//                               `allennlp attribute` (default: runs/guide)
local corpora = import 'data.libsonnet';
local base_variable = std.extVar('ATTENTION_EXPLAIN_BASE');
local lambda_variable = std.parseJson(std.extVar('ATTENTION_EXPLAIN_LAMBDA'));
local strength_variable = std.parseJson(std.extVar('ATTENTION_EXPLAIN_STRENGTH'));
local guide_variable = std.extVar('ATTENTION_EXPLAIN_GUIDE');
// What replaces a removed word.
local mask = '@@MASK@@';
local seed = std.parseInt(std.extVar('ATTENTION_EXPLAIN_SEED'));
// All that attention_explain/data/shortcut.py plants.
local shortcut_tokens = ['qzeq', 'qonq', 'qtwq', 'qthq', 'qfoq', 'qfiq', 'qsiq', 'qseq', 'qeiq', 'qniq', 'qctq'];
local splits_of(folder) = [folder + '/' + split + '.parquet' for split in ['train', 'dev', 'test']];

{
  // Wiegreffe & Pinter: a new model with the base's outputs and other attention. With `frozen`,
  // Meister et al.'s: the base itself, all of it held fast but the attention. The last epoch is kept,
  // or that of the lowest loss on dev (`select='dev'`). On SST the published distances are those of
  // the last: as epochs go by, attention moves away on dev as in training, while outputs come nearer
  // in training alone, so that dev selects an epoch from before attention has moved. Of the loss's
  // scale, weight decay alone takes notice: next to a mean it would count some 500 times as much as it
  // did in the published training, and lead attention further away.
  adversary(
    config,
    base=base_variable,
    lambda=lambda_variable,
    frozen=false,
    epochs=config.trainer.num_epochs,
    select='last',
    loss_reduction='as_published',
  ):
    config {
      trainer+: {
        num_epochs: epochs,
        validation_metric: { last: '+epochs_trained', dev: '-adversarial_loss' }[select],
        callbacks+: [{
          type: 'adversarial_attention',
          base: base,
          lambda_: lambda,
          frozen: frozen,
          loss_reduction: loss_reduction,
          // At the base's own attention KL has no slope: a small lambda would never leave it.
          [if frozen then 'new_attention']: true,
        }],
      },
    },

  // As published, 80 on SST and 40 elsewhere.
  adversary_epochs(data): if data == corpora.sst then 80 else 40,

  // Pruthi et al.: no attention on what the reader calls impermissible, or on a list of words. They select the
  // epoch with the best accuracy on dev; `-deceptive_loss` selects the one with the lowest penalised loss.
  deceptive(config, strength=strength_variable, words=null, select='+accuracy'):
    config {
      trainer+: {
        validation_metric: select,
        callbacks+: [{ type: 'deceptive_attention', strength: strength, words: words }],
      },
    },

  // Madsen et al.: half of the training texts with words masked, so that texts with words removed
  // (the erasure `mask`) are nothing new to the model.
  erasure_training(config):
    config {
      vocabulary+: { tokens_to_add+: { tokens+: [mask] } },
      trainer+: { callbacks+: [{ type: 'erasure_training' }] },
    },

  // Madsen et al.: data as in data.libsonnet with a share of each text's tokens masked, train, dev and test
  // alike: the most important by a method, whose scores are in `folder`, or by chance. Models know the
  // words of the whole texts, and begin alike whatever is masked. By `signed` scores, masks tell the
  // class even more than by magnitude (docs/how-to/faithfulness.md).
  erased(data, share, by='random', folder=null, ranking='size'):
    local erased = {
      share: share,
      seed: std.parseInt(std.extVar('ATTENTION_EXPLAIN_SEED')),
      by: if std.isString(by) then by else std.get(by, 'name', by.type),
      [if folder != null then 'files']: splits_of(folder),
      [if folder != null then 'ranking']: ranking,
    };
    data {
      dataset_reader+: { erased: erased },
      [if 'validation_dataset_reader' in data then 'validation_dataset_reader']+: { erased: erased },
      vocabulary: { reader: data.dataset_reader, data_path: data.paths.train_data_path }
                  + data.vocabulary + { tokens_to_add+: { tokens+: [mask] } },
    },

  // Bastings et al. 2022: data as in data.libsonnet, with a shortcut of a kind (`single`, `context`, `ordered`)
  // planted into a share of the texts. `labels` are the classes. With a share of 0 the texts stay as they are,
  // and the vocabulary is the same: the model to compare with.
  with_shortcut(data, kind, labels, share=0.2):
    local shortcut = { kind: kind, labels: labels, share: share, seed: seed };
    data {
      dataset_reader+: { shortcut: shortcut },
      [if 'validation_dataset_reader' in data then 'validation_dataset_reader']+: { shortcut: shortcut },
      vocabulary+: { tokens_to_add+: { tokens+: shortcut_tokens } },
      [if data.embedding.type == 'word_vectors' then 'embedding']+: { random_words: shortcut_tokens },
    },

  // Wiegreffe & Pinter: attention that another model has learned, for data as in data.libsonnet.
  // Its attention must be `attention.guide`.
  guided(data, folder=guide_variable): data {
    dataset_reader+: { guide: splits_of(folder) },
  },
}
