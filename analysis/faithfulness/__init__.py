"""How true scores are to the model: tables and figures of what `allennlp faithfulness` measured."""
