"""The committed table says what this run found."""

import pytest
import table
from platform_client import DECLARED, TOLD

#: Members of the specification that no answer of the run has, by model.
NEVER_TOLD = {
    # What AI bots look like and say by themselves: there are none here.
    "CreateABotResponse": {"bot_style"},
    "ListBotsResponseBotsInner": {"bot_style", "first_messages", "safeguard"},
    # A switch of the request; the answer has `ts`.
    "CreateAChannelMetadataResponse": {"include_ts"},
    # The administration that invites has no push setting of its own.
    "InviteAsMembersResponse": {"push_trigger_option"},
    # Told as asked for, and nobody asks for these.
    "ScheduleAnAnnouncementRequestCreateChannelOptions": {"cover_url", "custom_type", "data"},
    # The client sends no request id.
    "SendbirdMessageResponse": {"req_id"},
    "SendbirdParentMessageInfo": {"file", "files"},
    "SendbirdThumbnail": {"plain_url"},
    # Users of a channel have a state; those are members, another model.
    "SendbirdUser": {"state"},
}


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


def test_every_specified_member_is_told(request: pytest.FixtureRequest) -> None:
    """What the specification gives an answer is in some answer of the run; what is not stands here, with the reason."""
    if request.session.testscollected < 50 or request.session.testsfailed:
        pytest.skip("only part of the tests ran, or some failed")
    # A last message is a message by another name.
    for noted in (DECLARED, TOLD):
        noted["SendbirdMessageResponse"] |= noted.pop("SendbirdGroupChannelLastMessage", set())
    missing = {name: DECLARED[name] - TOLD[name] for name in DECLARED if DECLARED[name] - TOLD[name]}
    assert missing == NEVER_TOLD
