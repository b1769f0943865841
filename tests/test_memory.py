import psutil
import pytest

from mercer._memory import _left_in_container, memory_budget, parse_bytes
from mercer.exceptions import ParameterError


def test_half_of_what_is_free(monkeypatch):
    monkeypatch.delenv("MERCER_MEMORY_BUDGET", raising=False)
    assert 0 < memory_budget() <= psutil.virtual_memory().total // 2


def test_argument_before_environment(monkeypatch):
    monkeypatch.setenv("MERCER_MEMORY_BUDGET", "1GB")
    assert memory_budget() == 2**30
    assert memory_budget("2MB") == 2**21


def test_a_container_has_less(tmp_path):
    (tmp_path / "memory.max").write_text("1000\n")
    (tmp_path / "memory.current").write_text("400\n")
    assert _left_in_container(tmp_path) == 600
    (tmp_path / "memory.max").write_text("max\n")
    assert _left_in_container(tmp_path) > 2**60
    assert _left_in_container(tmp_path / "nowhere") > 2**60


@pytest.mark.parametrize("text", ["", "GB", "5 apples", "-1GB", "0", "1e400", "nan"])
def test_nonsense_is_refused(text):
    with pytest.raises(ParameterError, match="memory"):
        parse_bytes(text)
