import gc
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "Tests/EndToEnd"))
sys.path.insert(0, str(HERE))

from host import program  # noqa: E402
from scenario import FILES, Scenario  # noqa: E402
from world_server import WorldServer  # noqa: E402

# The validators and what they are made of live to the end; looking through them again and again is a tenth of the time.
gc.freeze()
gc.set_threshold(50_000)


def chosen(config):
    """The scenarios that the options leave."""
    files = FILES
    if config.getoption("--cache") == "none":
        files = [file for file in files if not Scenario.needs_files(json.loads(file.read_text(encoding="utf-8")))]
    if config.getoption("--encrypted"):
        files = [file for file in files if not Scenario.reads_files(json.loads(file.read_text(encoding="utf-8")))]
    if config.getoption("--world"):
        files = [file for file in files if WorldServer.takes(json.loads(file.read_text(encoding="utf-8")))]
    count = min(config.getoption("--spread") or len(files), len(files))
    return [files[index * len(files) // count] for index in range(count)]


def pytest_addoption(parser):
    parser.addoption(
        "--host", action="append", metavar="NAME",
        help="run the scenarios on this host of Tests/Scenarios/hosts, or on this program (default: python)")
    parser.addoption(
        "--cache", choices=["file", "none"], default="file",
        help="none: no client has files, and what outlives a client is left out")
    parser.addoption(
        "--encrypted", action="store_true",
        help="all files of clients are encrypted, and nothing of them can be read; what looks into files is left out")
    parser.addoption(
        "--world", action="store_true",
        help="in the host's own process, by libsyncmanager-testing: service, network and time; what needs a server"
             " process is left out")
    parser.addoption(
        "--spread", type=int, metavar="N", help="only N scenarios, as far apart as that goes, so of all themes")
    parser.addoption(
        "--in-turn", action="store_true",
        help="each scenario on one of the hosts, which take turns; a host that is named twice has two")


def hosts_of(number, names, config):
    """The hosts on which the scenario with this number runs."""
    return [names[number % len(names)]] if config.getoption("--in-turn") else names


def pytest_generate_tests(metafunc):
    names = metafunc.config.getoption("--host", None) or ["python"]
    programs = {name: program(name) for name in names} if "host_program" in metafunc.fixturenames else {}
    if "file" not in metafunc.fixturenames:
        if programs:
            metafunc.parametrize("host_program", programs.values(), ids=[Path(name).name for name in programs])
        return
    files = chosen(metafunc.config) if programs else FILES
    stories = [str(file.relative_to(HERE).with_suffix("")) for file in files]
    if not programs:
        return metafunc.parametrize("file", files, ids=stories)
    runs = [(number, name) for number in range(len(files)) for name in hosts_of(number, names, metafunc.config)]
    metafunc.parametrize(
        ("file", "host_program"), [(files[number], programs[name]) for number, name in runs],
        ids=[f"{stories[number]}-{Path(name).name}" for number, name in runs])
