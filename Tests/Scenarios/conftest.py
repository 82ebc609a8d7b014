import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/EndToEnd"))
sys.path.insert(0, str(Path(__file__).parent))

from host import program  # noqa: E402


def pytest_addoption(parser):
    parser.addoption(
        "--host", action="append", metavar="NAME",
        help="run the scenarios on this host of Tests/Scenarios/hosts, or on this program (default: python)")


def pytest_generate_tests(metafunc):
    if "host_program" in metafunc.fixturenames:
        names = metafunc.config.getoption("--host", None) or ["python"]
        metafunc.parametrize("host_program", [program(name) for name in names], ids=[Path(n).name for n in names])
