def pytest_addoption(parser):
    parser.addoption(
        "--host", action="append", metavar="NAME",
        help="run the scenarios on this host of Tests/Scenarios/hosts, or on this program (default: python)")
