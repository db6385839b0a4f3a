// Data sets: which reader, which files, which vocabulary, which word vectors.
// Files lie below the folder that the environment variable ATTENTION_EXPLAIN_DATA names (default:
// `data`, in the current folder); docs/how-to/data.md shows the layout.
local root = std.extVar('ATTENTION_EXPLAIN_DATA');

// The published vectors are 300-dimensional fastText ones; any file in the text format will do.
local word_vectors = {
  type: 'word_vectors',
  embedding_dim: 100,
  pretrained_file: root + '/word_vectors/glove.6B.100d.subset.txt.gz',
};

// MIMIC-III (PhysioNet, access on application) has no entry here. Export one line per admission, one file per split, for
// text_files(). We have not been able to run this export. As in the notebooks of Jain & Wallace:
// - id: HADM_ID. text: the notes in NOTEEVENTS with CATEGORY "Discharge summary" and an empty ISERROR, the report first, then
//   its addenda by CHARTDATE. Replace "[** ... **]" by <DE>, and repeated punctuation marks by a single one.
// - label, Diabetes: 1 if a code in DIAGNOSES_ICD is exactly 25000, else 0. Admissions and splits are the "50" lists of
//   Mullenbach et al. 2018 (CAML), {train,dev,test}_50_hadm_ids.csv.
// - label, Anemia: 1 if a code begins with 2851 (acute), 0 if with 2852 (chronic); drop admissions with both or neither. The
//   authors count 4283 and 2562. Test is a random stratified fifth; the dev split is unknown. The paper says "chronic versus
//   acute", the notebooks make acute the positive class.
// - Reader: lowercase, digit_word "qqq", max_tokens 3999, for Diabetes min_tokens 7. Vocabulary with min_df 5: 18888 words
//   (Diabetes) and 17382 (Anemia), special symbols included.

// Your own files: paths, how to read them, what the words start from.
local text_files(train, dev, test=null, reader={}, embedding={ type: 'word_vectors', embedding_dim: 100 }) = {
  dataset_reader: { type: 'attention_text' } + reader,
  paths: {
    train_data_path: train,
    validation_data_path: dev,
    [if test != null then 'test_data_path']: test,
    [if test != null then 'evaluate_on_test']: true,
  },
  vocabulary: { type: 'document_frequency' },
  embedding: embedding,
};

// Jain & Wallace's splits. Their vocabulary counts documents of the whole training file, before
// the limits on length drop any. `corpus` is their name in the papers' tables.
local published(corpus, folder, min_df, limits={}) =
  local path(split) = root + '/' + folder + '/' + split + '.jsonl.gz';
  local reader = {
    type: 'attention_text',
    corpus: corpus,
    tokenizer: 'just_spaces',
    boundary_symbols: true,
  };
  text_files(path('train'), path('dev'), path('test'), reader + limits, word_vectors) + {
    vocabulary+: { min_df: min_df, reader: reader, data_path: path('train') },
  };

// Pruthi et al.'s data, whose `block` marks the impermissible tokens. Words start at random, so
// that nothing but the training data says what a pronoun is.
local deceptive(corpus, name) =
  local path(split) = root + '/deceptive_attention/' + name + '_' + split + '.jsonl.gz';
  text_files(
    path('train'),
    path('dev'),
    path('test'),
    reader={ corpus: corpus, lowercase: true, fields: { impermissible: 'block' } },
    embedding={ type: 'word_vectors', embedding_dim: 128 },
  );

// Texts with what people have marked in them, each annotator apart (docs/how-to/rationales.md).
local marked(corpus, min_df) =
  local path(split) = root + '/rationales/' + corpus + '/' + split + '.jsonl.gz';
  text_files(
    path('train'),
    path('dev'),
    path('test'),
    reader={ corpus: corpus, lowercase: true, fields: { rationale: 'rationales' } },
    embedding=word_vectors,
  ) + { vocabulary+: { min_df: min_df } };

// Stories and questions about them (docs/how-to/pairs.md); an answer is a word of its story, and its rationale the
// facts it was made from. Sizes, batches and epochs are those of Jain & Wallace's code. Of task 3 the small
// training set is what there is.
local babi(task) =
  local path(split) = root + '/babi/raw/qa' + task + '_' + split + '.txt.gz';
  text_files(
    path(if task == 3 then 'train_1k' else 'train'),
    path('dev'),
    path('test'),
    reader={
      type: 'babi',
      corpus: 'babi_' + task,
      lowercase: true,
      candidates: 'passage',
      boundary_symbols: true,
    },
    embedding={ type: 'word_vectors', embedding_dim: 50 },
  ) + { pairs: { hidden: 32, batch_size: 50, epochs: 100 }, known_causes: true };

{
  text_files: text_files,

  // "More than 5 tokens", and below the longest of each file, which their strict bound drops.
  sst: published('sst', 'sst/jw_preprocessed', min_df=1, limits={ min_tokens: 6, drop_longest: true }),
  // The same sentences as they were written, with punctuation, and none left out: for models that come with
  // pieces of words of their own.
  sst_trees:
    local path(split) = root + '/sst/trees/' + split + '.txt.gz';
    text_files(path('train'), path('dev'), path('test'), reader={ type: 'sst_trees', corpus: 'sst' }),
  // "Under 400 tokens", less the longest of each file (399) for the same reason.
  imdb: published('imdb', 'imdb/jw_split', min_df=10, limits={ min_tokens: 7, max_tokens: 398 }),
  newsgroups: published('20news_sports', '20news_sports/jw_split', min_df=2, limits={ min_tokens: 7, max_tokens: 499 }),
  // No bounds but those that their strict ones are without any: the shortest and longest of each file.
  ag_news: published('agnews', 'agnews_world_business', min_df=5, limits={ drop_shortest: true, drop_longest: true }),

  // Is a text about a man or a woman? The pronouns are impermissible.
  pronoun: deceptive('pronoun', 'pronoun'),
  // A film review and a sentence of Wikipedia behind it; the review is impermissible.
  sst_wiki: deceptive('sst-wiki', 'sst-wiki'),

  // Film reviews with marked evidence; the marks of test are complete, those of train and dev are not.
  movies: marked('movies', min_df=5),
  // Short posts, three classes, up to three annotators; nobody marked the normal ones.
  hatexplain: marked('hatexplain', min_df=2),
  // SST, tested on sentences of it that six people each have marked, and which are held out of training.
  sst_annotators:
    local sentences = root + '/rationales/sst_annotators/all.jsonl.gz';
    local reader = {
      corpus: 'sst_annotators',
      // Their tokens are words with punctuation.
      split_tokens: true,
      lowercase: true,
      digit_word: 'qqq',
      labels: { '0': '0', '1': '1', negative: '0', positive: '1' },
      fields: { rationale: 'rationales' },
    };
    local path(split) = root + '/sst/jw_preprocessed/' + split + '.jsonl.gz';
    text_files(path('train'), path('dev'), sentences, reader { held_out: sentences }, word_vectors) + {
      // A reader of the sentences themselves holds none of them out.
      validation_dataset_reader: { type: 'attention_text' } + reader,
    },

  babi_1: babi(1),
  babi_2: babi(2),
  babi_3: babi(3),
  // Does a premise, which is attended, entail the hypothesis? Of the training pairs a part.
  snli:
    local path(split) = root + '/snli/' + split + '.jsonl.gz';
    text_files(
      path('train_sample_20k'),
      path('dev'),
      path('test'),
      reader={
        type: 'snli',
        corpus: 'snli',
        // The names of the official files are the reader's own.
        fields: { sentence1: 'premise', sentence2: 'hypothesis', gold_label: 'label', pairID: 'id' },
        // By their numbers in the paper's tables.
        labels: { contradiction: '0', entailment: '1', neutral: '2', '-': null },
        lowercase: true,
        digit_word: 'qqq',
        boundary_symbols: true,
      },
      embedding=word_vectors,
    ) + { pairs: { hidden: 128, batch_size: 128, epochs: 25 } },

  // The embedded corpus, whose causes are known; docs/explanation/planted-corpus.md has its presets and knobs.
  planted(preset='easy', overrides={}): {
    dataset_reader: { type: 'planted', preset: preset, overrides: overrides },
    paths: {
      train_data_path: 'train',
      validation_data_path: 'dev',
      test_data_path: 'test',
      evaluate_on_test: true,
    },
    vocabulary: { type: 'document_frequency' },
    embedding: { type: 'word_vectors', embedding_dim: 64 },
    known_causes: true,
    // A preset of pairs: what is asked for is in the question.
    [if preset == 'question' then 'pairs']: { hidden: 128, batch_size: 32, epochs: 8 },
  },
}
