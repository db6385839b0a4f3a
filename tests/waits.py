"""
Where a GPU would make the host wait, found without one: ops whose result the host looks at, when
they are asked of a tensor that would be on the device. Everything computed from such a tensor would
be there, too; what the host has made by itself it may look at.
"""

from contextlib import contextmanager
from typing import Any, Iterable, Iterator, List

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.weak import WeakTensorKeyDictionary

aten = torch.ops.aten
# What they give depends on values: a number, or a tensor of a size that only the device knows.
WAITING = {
    aten._local_scalar_dense, aten.nonzero, aten.masked_select, aten.bincount, aten._unique2,
    aten.unique_dim, aten.equal, aten.is_nonzero, aten.item,
}  # fmt: skip
# With a mask of True and False in place of numbers they look for its places first.
INDEXING = {aten.index, aten.index_put, aten.index_put_, aten._index_put_impl_}
# They bring values to the host; on a CPU torch does not dispatch them.
READING = ("cpu", "tolist", "numpy")


class DeviceWaits(TorchDispatchMode):
    """`found` has the names of the ops that would wait, one entry a time."""

    def __init__(self, on_device: Iterable[torch.Tensor]) -> None:
        super().__init__()
        self.found: List[str] = []
        self._on_device = WeakTensorKeyDictionary()
        for tensor in on_device:
            self._on_device[tensor] = True

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        given = [each for each in tree_leaves((args, kwargs)) if isinstance(each, torch.Tensor)]
        involved = any(self.has(each) for each in given)
        packet = func.overloadpacket
        if involved and packet in WAITING:
            self.found.append(str(packet))
        # A single number into the places of a mask is torch's masked_fill, which does not wait.
        filled = packet in INDEXING - {aten.index} and args[2].numel() == 1
        if (
            packet in INDEXING
            and not filled
            and any(
                self.has(each) and each.dtype == torch.bool
                for each in tree_leaves(args[1])
                if isinstance(each, torch.Tensor)
            )
        ):
            self.found.append(f"{packet} by a mask")
        result = func(*args, **kwargs)
        if involved:
            for each in tree_leaves(result):
                if isinstance(each, torch.Tensor):
                    self._on_device[each] = True
        return result

    def forget(self, tensor: torch.Tensor) -> None:
        del self._on_device[tensor]

    def has(self, tensor: torch.Tensor) -> bool:
        return tensor in self._on_device


@contextmanager
def device_waits(on_device: Iterable[torch.Tensor]) -> Iterator[List[str]]:
    """The list of what waits, while it runs; the tensors given are those on the device."""
    mode = DeviceWaits(on_device)
    originals = {name: getattr(torch.Tensor, name) for name in READING}

    def watched(name: str) -> Any:
        def read(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
            result = originals[name](tensor, *args, **kwargs)
            if mode.has(tensor):
                mode.found.append(name)
                if name == "cpu":
                    # Elsewhere it is a copy, which the host may look at.
                    result = result.clone()
                    mode.forget(result)
            return result

        return read

    try:
        for name in READING:
            setattr(torch.Tensor, name, watched(name))
        with mode:
            yield mode.found
    finally:
        for name in READING:
            # They are those of a base class: what was put before them goes.
            delattr(torch.Tensor, name)
