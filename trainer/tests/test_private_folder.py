"""Folders in shared locations: only accessible to this user, or refused."""

import os
from pathlib import Path

import pytest

from medloom_trainer.errors import TrainerError
from medloom_trainer.private_folder import private_folder
from medloom_trainer.remote.layout import node_folder
from medloom_trainer.training.compilation import keep_compiled_code_private


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_it_is_made_for_this_user_alone_and_taken_again(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        made = private_folder(tmp_path / "further" / "node")
    finally:
        os.umask(before)
    assert mode_of(made) == 0o700
    assert private_folder(made) == made


@pytest.mark.parametrize("mode", [0o701, 0o710, 0o704, 0o720, 0o777])
def test_one_that_others_can_use_is_refused(tmp_path: Path, mode: int) -> None:
    node = tmp_path / "node"
    node.mkdir()
    node.chmod(mode)
    with pytest.raises(TrainerError, match="can be accessed by other users") as caught:
        private_folder(node)
    assert caught.value.code == "NODE_FOLDER_UNSAFE"


def test_a_link_is_refused_whoever_owns_its_target(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir(mode=0o700)
    (tmp_path / "node").symlink_to(tmp_path / "target")
    with pytest.raises(TrainerError, match="is not a folder"):
        private_folder(tmp_path / "node")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_one_of_another_user_is_refused(tmp_path: Path) -> None:
    node = tmp_path / "node"
    node.mkdir(mode=0o700)
    os.chown(node, 65534, 65534)
    with pytest.raises(TrainerError, match="belongs to user 65534"):
        private_folder(node)


def test_the_folder_of_a_node_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEDLOOM_NODE_CACHE", str(tmp_path / "node"))
    assert mode_of(node_folder()) == 0o700
    (tmp_path / "node").chmod(0o755)
    with pytest.raises(TrainerError):
        node_folder()


def test_the_folder_of_a_node_is_not_taken_through_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "target").mkdir(mode=0o700)
    (tmp_path / "node").symlink_to(tmp_path / "target")
    monkeypatch.setenv("MEDLOOM_NODE_CACHE", str(tmp_path / "node"))
    with pytest.raises(TrainerError, match="is not a folder") as caught:
        node_folder()
    assert caught.value.code == "NODE_FOLDER_UNSAFE"


def test_compiled_code_is_kept_in_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", "")
    keep_compiled_code_private()
    folder = Path(os.environ["TORCHINDUCTOR_CACHE_DIR"])
    assert (folder.parent, mode_of(folder)) == (tmp_path, 0o700)


def test_compiled_code_is_not_loaded_from_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", "")
    (tmp_path / f"medloom-compiled-{os.getuid()}").symlink_to(tmp_path)
    with pytest.raises(TrainerError, match="is not a folder"):
        keep_compiled_code_private()


def test_a_folder_for_compiled_code_that_is_named_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", "/named")
    keep_compiled_code_private()
    assert os.environ["TORCHINDUCTOR_CACHE_DIR"] == "/named"
