"""Stored images → input of a network."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


class ImageNormalizer:
    """Stored images (B, V, H, W, C), gray (C = 1) or in color, → 0..1, and from there → (x - mean) / std.
    Both results are (N, 3, H, W), channels last.
    """

    def __init__(self, normalization: dict[str, Any], device: torch.device) -> None:
        mean = torch.tensor(normalization["mean"], dtype=torch.float32, device=device)
        std = torch.tensor(normalization["std"], dtype=torch.float32, device=device)
        self.scale = 1 / std
        self.shift = -mean / std

    def unit(self, images: Tensor) -> Tensor:
        full = 65535.0 if images.dtype == torch.uint16 else 255.0
        scaled = images.flatten(0, 1).to(torch.float32).mul_(1 / full)
        if scaled.shape[3] == 1:
            scaled = scaled.expand(-1, -1, -1, 3).contiguous()  # the layout of color images
        return scaled.permute(0, 3, 1, 2)

    def normalize(self, images: Tensor, views: int) -> Tensor:
        """images (B · V, 3, H, W) in 0..1, overwritten → (B, V, 3, H, W)"""
        images = images.mul_(self.scale[:, None, None]).add_(self.shift[:, None, None])
        images = images.contiguous(memory_format=torch.channels_last)
        return images.view(-1, views, *images.shape[1:])
