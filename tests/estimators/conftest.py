import pytest


@pytest.fixture(params=["one matrix", "rows on demand"])
def either_way(request, monkeypatch):
    """Small problems share a matrix; have them ask for rows as large ones do."""
    if request.param == "rows on demand":
        monkeypatch.setattr("mercer.estimators.kernel_source._ASKING", 0)
