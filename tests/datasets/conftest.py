import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with the real files, or a skip that says how to get there."""
    folder = os.environ.get("MERCER_DATA")
    if not folder or not Path(folder, "usps").is_dir():
        pytest.skip("MERCER_DATA does not name a folder with usps, mnist and spoofing")
    return Path(folder)
