"""The same network in a typical research script: a Dataset that opens files, a DataLoader, a loop."""

from __future__ import annotations

import time
from copy import deepcopy

import numpy as np
import torch
from PIL import Image
from study import RATES, Columns, Order, Table, labels_of, macro_auc
from torch import nn
from torch.utils.data import DataLoader, Dataset

from medloom_trainer.model.timm_import import import_timm

BATCH, WIDTH = 32, 128


class Lesions(Dataset):
    def __init__(self, table: Table, numbers: np.ndarray, classes: list[str], side: int) -> None:
        self.files, self.side = [row["image"] for row in table], side
        self.numbers = torch.from_numpy(numbers.astype(np.float32))
        self.labels = torch.tensor([classes.index(label) for label in labels_of(table)])

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, index: int):
        with Image.open(self.files[index]) as image:
            pixels = np.asarray(image.convert("RGB").resize((self.side, self.side)), dtype=np.float32)
        image = torch.from_numpy(pixels).permute(2, 0, 1) / 127.5 - 1
        return image, self.numbers[index], self.labels[index]


class Network(nn.Module):
    def __init__(self, columns: int, classes: int) -> None:
        super().__init__()
        self.image = import_timm().create_model("resnet18", pretrained=False, num_classes=0)
        self.table = nn.Sequential(nn.Linear(columns, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH))
        self.head = nn.Sequential(nn.Dropout(0.3), nn.Linear(512 + WIDTH, classes))

    def forward(self, images, numbers):
        return self.head(torch.cat([self.image(images), self.table(numbers)], dim=1))


def main() -> None:
    order = Order.read()
    tables = {split: order.table(split) for split in ("train", "val", "test")}
    classes = sorted(set(labels_of(tables["train"]).tolist()))
    columns = Columns(tables["train"])
    loaders = {
        split: DataLoader(
            Lesions(table, columns.numbers(table), classes, order.side),
            batch_size=BATCH,
            shuffle=split == "train",
            num_workers=2,
        )
        for split, table in tables.items()
    }
    first, best = None, None
    for rate in RATES:
        score, network, began = train(loaders, labels_of(tables["val"]), classes, rate, order.epochs)
        first = first or began
        if best is None or score > best[0]:
            best = (score, rate, network)
    assert best is not None
    order.answer(classes, predict(best[2], loaders["test"]), f"learning rate {best[1]:g}", first)


def train(loaders, labels, classes: list[str], rate: float, epochs: int):
    """→ validation AUC of the best epoch, its network, and the time after the first batch"""
    torch.manual_seed(0)
    network = Network(loaders["train"].dataset.numbers.shape[1], len(classes))
    optimizer = torch.optim.AdamW(network.parameters(), lr=rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs * len(loaders["train"]))
    loss, first, best = nn.CrossEntropyLoss(), None, None
    for _ in range(epochs):
        network.train()
        for images, numbers, wanted in loaders["train"]:
            optimizer.zero_grad()
            loss(network(images, numbers), wanted).backward()
            optimizer.step()
            schedule.step()
            first = first or time.time()
        score = macro_auc(labels, classes, predict(network, loaders["val"]))
        if best is None or score > best[0]:
            best = (score, deepcopy(network))
    return *best, first


@torch.inference_mode()
def predict(network: Network, loader: DataLoader) -> np.ndarray:
    network.eval()
    return torch.cat([network(images, numbers).softmax(1) for images, numbers, _ in loader]).numpy()


if __name__ == "__main__":
    main()
