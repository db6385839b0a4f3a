"""The predictor behind `allennlp predict --predictor saliency`."""

from allennlp.common.util import JsonDict
from allennlp.data import Instance
from allennlp.predictors import Predictor


@Predictor.register("saliency")
class SaliencyPredictor(Predictor):
    """
    Registered as a `Predictor` with name "saliency".
    """

    def _json_to_instance(self, json_dict: JsonDict) -> Instance:
        return self._dataset_reader.text_to_instance(**json_dict)
