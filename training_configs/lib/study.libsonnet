// A study: which models on which data, with which seeds, what is made of them, which tables. Extend it:
//
//   study {
//     title: 'My study',
//     data:: { sst: lib.data.sst },
//     runs(data):: { base: { config: lib.experiment(data, ...), attributions: { all: presets.all } } },
//     tables: [study.table('jain-wallace', ['attributions/all'])],
//   }
//
// docs/how-to/studies.md has every field. The size is `full`, or `quick`: the same on a small planted corpus,
// in minutes, to see that everything works.
local lib = import 'lib.libsonnet';
local quick = std.extVar('ATTENTION_EXPLAIN_SIZE') == 'quick';

{
  local this = self,

  title: error 'a study needs a title',
  seeds: if quick then [1] else std.range(1, 5),
  // The fewest that make an interval, for studies that take long; and for runs that do: adversaries, and what is
  // guided by others.
  few_seeds:: if quick then [1] else std.range(1, 3),
  few:: { seeds: std.length(this.few_seeds) },
  // Is everything compared with the base of the first seed, as published, or each seed with its own?
  one_base: false,
  // Data as in data.libsonnet, each under the name of its corpus.
  data:: error 'a study needs data',
  // From data to runs, each under a name: { config, attributions, perturbations, split, seeds }.
  runs(data):: error 'a study needs runs',
  tables: [],

  // What the quick size runs on.
  planted:: lib.data.planted() { dataset_reader+: { sizes: { train: 1000, dev: 200, test: 100 } } },
  corpora: std.mapWithKey(
    function(name, data) this.runs(data),
    if quick then { planted: this.planted } else this.data
  ),

  // One thing for the quick size, another for the full one.
  pick(quick_one, full_one):: if quick then quick_one else full_one,
  // A preset of training.libsonnet; for the quick size with few epochs at a rate that they are enough for.
  training(preset):: preset + if quick then {
    trainer+: { num_epochs: 6, optimizer: lib.training.unpublished.trainer.optimizer },
  } else {},
  // Of an adversary.
  epochs(data):: if quick then 6 else lib.adversary_epochs(data),

  // Joined by `+`, since `%` takes jsonnet milliseconds, and a study has hundreds of these.
  // Another run of the study, on the same corpus with the same seed, or with the first (`one_base`): its folder,
  run(name):: '<run:' + name + '>',
  // the folder of its attention on train, dev and test, for lib.guided,
  guide(name):: '<guide:' + name + '>',
  // the same of any method, always with the same seed, for lib.erased,
  scores(name, method)::
    local said = if std.isString(method) then method else std.manifestJsonMinified(method);
    '<scores:' + name + '/' + said + '>',
  // and the file of its attributions under a name.
  attributions(name, listed):: '<attributions:' + name + '/' + listed + '>',

  // What `python -m analysis` makes of the files of all runs, or of some `only`.
  table(name, from, only=null):: { command: 'table', arguments: [name], from: from, only: only },
  agreement(from, measures=['kendall'], only=null, arguments=[]):: {
    command: 'agreement',
    arguments: ['--measures'] + measures + arguments,
    from: from,
    only: only,
  },
  // For its arguments: every two of the methods, by magnitude.
  every_two(methods):: ['--absolute', '--pairs'] + [
    methods[first] + ':' + methods[second]
    for first in std.range(0, std.length(methods) - 2)
    for second in std.range(first + 1, std.length(methods) - 1)
  ],
  causes(from, only=null):: { command: 'causes', from: from, only: only },
  plausibility(from, only=null):: { command: 'plausibility', from: from, only: only },
}
