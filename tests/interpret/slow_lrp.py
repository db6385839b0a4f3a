"""
LRP from its definitions, for one text: numpy, plain loops over tokens and dimensions, no batch, no
mask, nothing shared with the implementation but the model's weights.
"""

import numpy
import torch

from attention_explain.models import AttentionClassifier
from attention_explain.modules.text_inputs import TextInputs

Vectors = list[numpy.ndarray]


class SlowLrp:
    """
    The relevance of every embedding entry, and what biases and stabilisers got.

    model : in double precision.
    epsilon : of the rule.
    """

    def __init__(self, model: AttentionClassifier, epsilon: float) -> None:
        self.model = model
        self.epsilon = epsilon
        self.of_biases = 0.0
        self.of_stabilizers = 0.0
        self.of_softmax = 0.0

    def linear(
        self,
        inputs: numpy.ndarray,
        weights: numpy.ndarray,
        bias: numpy.ndarray,
        relevance: numpy.ndarray,
    ) -> numpy.ndarray:
        """R_i = sum_j x_i w_ij / (z_j + epsilon sign z_j) R_j. Weights: (outputs, inputs)"""
        received = numpy.zeros(len(inputs))
        for j in range(len(relevance)):
            z = bias[j]
            for i in range(len(inputs)):
                z += inputs[i] * weights[j, i]
            stabilizer = self.epsilon if z >= 0 else -self.epsilon
            for i in range(len(inputs)):
                received[i] += inputs[i] * weights[j, i] / (z + stabilizer) * relevance[j]
            self.of_biases += bias[j] / (z + stabilizer) * relevance[j]
            self.of_stabilizers += stabilizer / (z + stabilizer) * relevance[j]
        return received

    def sum_of_two(self, one: numpy.ndarray, other: numpy.ndarray, relevance: numpy.ndarray):
        to_one, to_other = numpy.zeros(len(one)), numpy.zeros(len(one))
        for i in range(len(one)):
            parts = self.linear(
                numpy.array([one[i], other[i]]), numpy.ones((1, 2)), [0.0], relevance[i : i + 1]
            )
            to_one[i], to_other[i] = parts
        return to_one, to_other

    def explain(self, embeddings: numpy.ndarray, seen: list[bool], label: int) -> numpy.ndarray:
        """Shape: (tokens, embedding_dim) -> the same"""
        encoder = self.model.encoder
        kind = type(encoder).__name__
        self.of_biases = self.of_stabilizers = self.of_softmax = 0.0
        forward, backward = {
            "AffineEncoder": (self.affine_forward, self.affine_backward),
            "CnnEncoder": (self.cnn_forward, self.cnn_backward),
            "LstmSeq2SeqEncoder": (self.lstm_forward, self.lstm_backward),
            "TransformerEncoder": (self.transformer_forward, self.transformer_backward),
        }[kind]
        states = forward(embeddings)

        # Attention is a constant; how it comes about is not the business of this reference.
        mask = torch.tensor(seen)[None]
        attention = self.model.attend(
            torch.tensor(numpy.array(states))[None], TextInputs(mask, mask)
        )
        attention = attention[0].detach().numpy()
        context = sum(weight * state for weight, state in zip(attention, states, strict=True))
        weights, bias = arrays(self.model.decoder)
        self.output = weights[label] @ context + bias[label]
        of_context = self.linear(
            context, weights[label : label + 1], bias[label : label + 1], numpy.array([self.output])
        )
        of_states = [numpy.zeros(len(context)) for _ in states]
        for d in range(len(context)):
            column = numpy.array([state[d] for state in states])
            parts = self.linear(column, attention[None], [0.0], of_context[d : d + 1])
            for t, part in enumerate(parts):
                of_states[t][d] = part
        return numpy.array(backward(of_states))

    # affine: tanh hands on what it gets ----------------------------------------------------------

    def affine_forward(self, embeddings: numpy.ndarray) -> Vectors:
        weights, bias = arrays(self.model.encoder.layer)
        self.inputs = embeddings
        return [numpy.tanh(weights @ x + bias) for x in embeddings]

    def affine_backward(self, relevance: Vectors) -> Vectors:
        weights, bias = arrays(self.model.encoder.layer)
        return [
            self.linear(x, weights, bias, r) for x, r in zip(self.inputs, relevance, strict=True)
        ]

    # cnn: a window is a linear layer -------------------------------------------------------------

    def cnn_forward(self, embeddings: numpy.ndarray) -> Vectors:
        self.inputs = embeddings
        states = []
        for t in range(len(embeddings)):
            parts = []
            for layer in self.model.encoder.convolutions:
                weights, bias = arrays(layer)
                parts.append(numpy.einsum("oik,ik->o", weights, self.window(t, layer)) + bias)
            states.append(numpy.maximum(numpy.concatenate(parts), 0))
        return states

    def window(self, t: int, layer: torch.nn.Conv1d) -> numpy.ndarray:
        """The tokens under the kernel, zeros beyond the ends. Shape: (embedding_dim, size)"""
        half = layer.kernel_size[0] // 2
        columns = []
        for position in range(t - half, t + half + 1):
            inside = 0 <= position < len(self.inputs)
            columns.append(self.inputs[position] if inside else numpy.zeros(self.inputs.shape[1]))
        return numpy.stack(columns, axis=1)

    def cnn_backward(self, relevance: Vectors) -> Vectors:
        received = numpy.zeros_like(self.inputs)
        for t in range(len(relevance)):
            first = 0
            for layer in self.model.encoder.convolutions:
                weights, bias = arrays(layer)
                part = relevance[t][first : first + len(bias)]
                first += len(bias)
                window = self.window(t, layer)
                flat = self.linear(window.ravel(), weights.reshape(len(bias), -1), bias, part)
                half = layer.kernel_size[0] // 2
                for column, values in enumerate(flat.reshape(window.shape).T):
                    if 0 <= t - half + column < len(self.inputs):
                        received[t - half + column] += values
        return list(received)

    # lstm: Arras et al. 2017 ---------------------------------------------------------------------

    def lstm_forward(self, embeddings: numpy.ndarray) -> Vectors:
        lstm = self.model.encoder._module
        self.runs: list[list[tuple[list[dict], bool]]] = []
        inputs = list(embeddings)
        for number in range(lstm.num_layers):
            self.runs.append([])
            outputs = []
            for suffix in ["", "_reverse"][: 2 if lstm.bidirectional else 1]:
                ordered = inputs[::-1] if suffix else inputs
                steps = self.lstm_steps(ordered, lstm_weights(lstm, f"_l{number}{suffix}"))
                self.runs[-1].append((steps, bool(suffix)))
                states = [step["h"] for step in steps]
                outputs.append(states[::-1] if suffix else states)
            inputs = [numpy.concatenate(parts) for parts in zip(*outputs, strict=True)]
        return inputs

    @staticmethod
    def lstm_steps(inputs: Vectors, weights: dict[str, numpy.ndarray]) -> list[dict]:
        size = weights["hh"].shape[1]
        h, c = numpy.zeros(size), numpy.zeros(size)
        steps = []
        for x in inputs:
            z = weights["ih"] @ x + weights["hh"] @ h + weights["bias"]
            enter, forget, candidate, leave = (z[k * size : (k + 1) * size] for k in range(4))
            step = {"x": x, "h_before": h, "c_before": c, "weights": weights, "size": size}
            step["i"], step["f"] = 1 / (1 + numpy.exp(-enter)), 1 / (1 + numpy.exp(-forget))
            step["g"] = numpy.tanh(candidate)
            c = step["f"] * c + step["i"] * step["g"]
            h = numpy.tanh(c) / (1 + numpy.exp(-leave))
            step["h"] = h
            steps.append(step)
        return steps

    def lstm_backward(self, relevance: Vectors) -> Vectors:
        for runs in reversed(self.runs):
            size = runs[0][0][0]["size"]
            received = None
            for number, (steps, backwards) in enumerate(runs):
                own = [r[number * size : (number + 1) * size] for r in relevance]
                parts = self.lstm_steps_backward(steps, own[::-1] if backwards else own)
                parts = parts[::-1] if backwards else parts
                received = (
                    parts
                    if received is None
                    else [a + b for a, b in zip(received, parts, strict=True)]
                )
            relevance = received
        return relevance

    def lstm_steps_backward(self, steps: list[dict], relevance: Vectors) -> Vectors:
        size = steps[0]["size"]
        of_inputs = [None] * len(steps)
        from_h, from_c = numpy.zeros(size), numpy.zeros(size)
        for t in range(len(steps) - 1, -1, -1):
            step = steps[t]
            # h = o * tanh(c): the gate gets nothing, tanh hands on.
            of_cell = from_c + relevance[t] + from_h
            old, new = step["f"] * step["c_before"], step["i"] * step["g"]
            from_c, of_candidate = self.sum_of_two(old, new, of_cell)
            rows = slice(2 * size, 3 * size)
            weights = numpy.concatenate(
                [step["weights"]["ih"][rows], step["weights"]["hh"][rows]], axis=1
            )
            both = numpy.concatenate([step["x"], step["h_before"]])
            parts = self.linear(both, weights, step["weights"]["bias"][rows], of_candidate)
            of_inputs[t], from_h = parts[: len(step["x"])], parts[len(step["x"]) :]
        return of_inputs

    # transformer: Ali et al. 2022 ----------------------------------------------------------------

    def transformer_forward(self, embeddings: numpy.ndarray) -> Vectors:
        encoder = self.model.encoder
        self.inputs = embeddings
        self.weights, bias = numpy.eye(embeddings.shape[1]), numpy.zeros(encoder.hidden_dim)
        if isinstance(encoder.input_layer, torch.nn.Linear):
            self.weights, bias = arrays(encoder.input_layer)
        self.input_biases = []
        # The position vectors are taken as they are, like the weights.
        positions = encoder._position_vectors(torch.tensor(embeddings)[None]).detach().numpy()
        states = []
        for t, x in enumerate(embeddings):
            self.input_biases.append(bias + positions[t])
            states.append(self.weights @ x + self.input_biases[-1])
        self.layer_records = []
        for layer in encoder.layers:
            record = {"layer": layer, "inputs": states}
            attention = layer.self_attention
            query, key, value = (
                [w @ x + b for x in states]
                for w, b in map(
                    arrays, (attention.query_layer, attention.key_layer, attention.value_layer)
                )
            )
            size = len(query[0]) // attention.num_heads
            record["maps"], record["merged"] = [], [numpy.zeros(len(q)) for q in query]
            for head in range(attention.num_heads):
                own = slice(head * size, (head + 1) * size)
                for t in range(len(states)):
                    scores = numpy.array([query[t][own] @ k[own] for k in key]) / numpy.sqrt(size)
                    weights = numpy.exp(scores - scores.max())
                    weights /= weights.sum()
                    record["maps"].append((head, t, weights))
                    record["merged"][t][own] = sum(
                        w * v[own] for w, v in zip(weights, value, strict=True)
                    )
            record["values"] = value
            w, b = arrays(attention.output_layer)
            record["attended"] = [w @ m + b for m in record["merged"]]
            record["first_sum"] = [a + x for a, x in zip(record["attended"], states, strict=True)]
            record["middle"] = [layer_norm(layer.attention_norm, x) for x in record["first_sum"]]
            w, b = arrays(layer.feedforward[0])
            record["inner"] = [numpy.maximum(w @ x + b, 0) for x in record["middle"]]
            w, b = arrays(layer.feedforward[2])
            record["fed"] = [w @ x + b for x in record["inner"]]
            record["second_sum"] = [
                a + x for a, x in zip(record["fed"], record["middle"], strict=True)
            ]
            states = [layer_norm(layer.feedforward_norm, x) for x in record["second_sum"]]
            self.layer_records.append(record)
        return states

    def transformer_backward(self, relevance: Vectors) -> Vectors:
        for record in reversed(self.layer_records):
            relevance = self.transformer_layer_backward(record, relevance)
        return [
            self.linear(x, self.weights, b, r)
            for x, b, r in zip(self.inputs, self.input_biases, relevance, strict=True)
        ]

    def transformer_layer_backward(self, record: dict, relevance: Vectors) -> Vectors:
        layer, tokens = record["layer"], range(len(relevance))
        of_middle, of_attended, of_inputs = [], [], []
        for t in tokens:
            of_sum = self.norm_backward(
                layer.feedforward_norm, record["second_sum"][t], relevance[t]
            )
            of_fed, of_residual = self.sum_of_two(record["fed"][t], record["middle"][t], of_sum)
            of_inner = self.linear(record["inner"][t], *arrays(layer.feedforward[2]), of_fed)
            through = self.linear(record["middle"][t], *arrays(layer.feedforward[0]), of_inner)
            of_middle.append(of_residual + through)
        for t in tokens:
            of_sum = self.norm_backward(layer.attention_norm, record["first_sum"][t], of_middle[t])
            attended, inputs = self.sum_of_two(record["attended"][t], record["inputs"][t], of_sum)
            of_attended.append(attended)
            of_inputs.append(inputs)
        attention = layer.self_attention
        of_merged = [
            self.linear(record["merged"][t], *arrays(attention.output_layer), of_attended[t])
            for t in tokens
        ]
        through = self.self_attention_backward(record, attention, of_merged)
        return [one + other for one, other in zip(of_inputs, through, strict=True)]

    def self_attention_backward(
        self, record: dict, attention: torch.nn.Module, of_merged: Vectors
    ) -> Vectors:
        """From the values, weighed and merged, to the inputs of the layer; weights are constants."""
        of_values = [numpy.zeros(len(each)) for each in of_merged]
        size = len(of_merged[0]) // attention.num_heads
        for head, t, weights in record["maps"]:
            for d in range(head * size, (head + 1) * size):
                column = numpy.array([value[d] for value in record["values"]])
                parts = self.linear(column, weights[None], [0.0], of_merged[t][d : d + 1])
                for other, part in enumerate(parts):
                    of_values[other][d] += part
        return [
            self.linear(x, *arrays(attention.value_layer), r)
            for x, r in zip(record["inputs"], of_values, strict=True)
        ]

    def norm_backward(
        self, norm: torch.nn.LayerNorm, inputs: numpy.ndarray, relevance: numpy.ndarray
    ) -> numpy.ndarray:
        """With a constant deviation, layer norm is one matrix."""
        gain, shift = arrays(norm)
        size = len(inputs)
        deviation = numpy.sqrt(inputs.var() + norm.eps)
        matrix = numpy.diag(gain / deviation) @ (numpy.eye(size) - numpy.ones((size, size)) / size)
        return self.linear(inputs, matrix, shift, relevance)


class SlowAttnLrp(SlowLrp):
    """AttnLRP (Achtibat et al. 2024) of a transformer: relevance for queries and keys too."""

    def half_product(self, one: numpy.ndarray, other: numpy.ndarray, relevance: float):
        """Of a sum over k of one_k other_k: half of each term's relevance to each factor."""
        parts = numpy.zeros(len(one))
        z = sum(a * b for a, b in zip(one, other, strict=True))
        stabilizer = self.epsilon if z >= 0 else -self.epsilon
        for k in range(len(one)):
            parts[k] = one[k] * other[k] / (2 * (z + stabilizer)) * relevance
        self.of_stabilizers += stabilizer / (z + stabilizer) * relevance
        return parts

    def self_attention_backward(
        self, record: dict, attention: torch.nn.Module, of_merged: Vectors
    ) -> Vectors:
        layers = (attention.query_layer, attention.key_layer, attention.value_layer)
        inputs, tokens = record["inputs"], range(len(of_merged))
        queries, keys, values = ([w @ x + b for x in inputs] for w, b in map(arrays, layers))
        of_queries, of_keys, of_values = (
            [numpy.zeros(len(each)) for each in of_merged] for _ in layers
        )
        size = len(of_merged[0]) // attention.num_heads
        for head, i, weights in record["maps"]:
            own = slice(head * size, (head + 1) * size)
            of_weights = numpy.zeros(len(weights))
            for d in range(head * size, (head + 1) * size):
                column = numpy.array([value[d] for value in values])
                parts = self.half_product(weights, column, of_merged[i][d])
                of_weights += parts
                for j in tokens:
                    of_values[j][d] += parts[j]
            for j in tokens:
                score = queries[i][own] @ keys[j][own] / numpy.sqrt(size)
                relevance = score * (of_weights[j] - weights[j] * of_weights.sum())
                self.of_softmax += of_weights[j] - relevance
                parts = self.half_product(
                    queries[i][own] / numpy.sqrt(size), keys[j][own], relevance
                )
                of_queries[i][own] += parts
                of_keys[j][own] += parts
        of_inputs = [numpy.zeros(len(x)) for x in inputs]
        for layer, relevance in zip(layers, (of_queries, of_keys, of_values), strict=True):
            for t in tokens:
                of_inputs[t] += self.linear(inputs[t], *arrays(layer), relevance[t])
        return of_inputs


def arrays(layer: torch.nn.Module) -> tuple[numpy.ndarray, numpy.ndarray]:
    return layer.weight.detach().numpy(), layer.bias.detach().numpy()


def lstm_weights(lstm: torch.nn.LSTM, suffix: str) -> dict[str, numpy.ndarray]:
    found = {
        kind: getattr(lstm, f"{kind}{suffix}").detach().numpy()
        for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    }
    return {
        "ih": found["weight_ih"],
        "hh": found["weight_hh"],
        "bias": found["bias_ih"] + found["bias_hh"],
    }


def layer_norm(norm: torch.nn.LayerNorm, inputs: numpy.ndarray) -> numpy.ndarray:
    gain, shift = arrays(norm)
    return (inputs - inputs.mean()) / numpy.sqrt(inputs.var() + norm.eps) * gain + shift
