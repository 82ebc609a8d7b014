"""The committed table says what this run found."""

import pytest
import table


def test_table_is_current(results: table.Results, request: pytest.FixtureRequest) -> None:
    if request.session.testscollected < 50 or request.session.testsfailed and not request.config.option.write_table:
        pytest.skip("only part of the tests ran, or some failed: there is no whole table to compare")
    if request.config.option.write_table:
        table.write(results)
    assert table.committed() == table.render(results), "write it with scripts/test.d/91-foreign --write-table"


def test_every_operation_works_or_is_out_for_a_reason(results: table.Results, request: pytest.FixtureRequest) -> None:
    if request.session.testscollected < 50:
        pytest.skip("only part of the tests ran")
    missing = [n for n, (_, p) in table.operations().items() if not table.out(p) and not results.operations.get(n)]
    assert not missing
    assert set(results.operations) <= set(table.operations())
