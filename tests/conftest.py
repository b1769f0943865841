import os
import signal
from pathlib import Path

import pytest


def pytest_configure():
    # a shell starts background jobs with Ctrl-C ignored, and so would all they start
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def data_folder():
    """The folder with the real data sets; without it the test is skipped."""
    folder = os.environ.get("MERCER_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("MERCER_DATA does not name a folder with the real data sets")
    return Path(folder)
