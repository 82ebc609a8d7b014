import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/EndToEnd"))
sys.path.insert(0, str(Path(__file__).parent))

import harness  # noqa: E402, F401  (sets where the library is)
