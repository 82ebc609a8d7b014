import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
for folder in ("bindings/python", "Tests/Schemas", "Tests/EndToEnd"):
    sys.path.insert(0, str(ROOT / folder))

import harness  # noqa: E402, F401  (sets where the library is)
