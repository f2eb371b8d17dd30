// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order} from "../../src/Order.sol";
import {IntentBook} from "../../src/hub/IntentBook.sol";
import {Vm, vm} from "../Vm.sol";

contract IntentBookTest {
    address constant WRITER = address(0x3217E);
    bytes32 constant EVIDENCE = keccak256("transaction");

    IntentBook book = new IntentBook();

    function someOrder(uint256 nonce) internal pure returns (Order memory order) {
        order.version = 1;
        order.originChainId = 1;
        order.user = bytes32(uint256(0x05E2));
        order.nonce = bytes32(nonce);
        order.amountIn = 100;
        order.amountOut = 99;
    }

    function record(address writer, Order memory order, IntentBook.State state) internal {
        vm.prank(writer);
        book.record(order, state, EVIDENCE);
    }

    function is_(Order memory order, IntentBook.State state) internal view {
        require(book.stateOf(WRITER, order.id()) == state, "state");
    }

    function test_the_states_are_numbered_as_the_api_lists_them() public pure {
        require(uint8(IntentBook.State.NonExistent) == 0 && uint8(IntentBook.State.Open) == 1, "0, 1");
        require(uint8(IntentBook.State.Locked) == 2 && uint8(IntentBook.State.Solved) == 3, "2, 3");
        require(uint8(IntentBook.State.Settled) == 4 && uint8(IntentBook.State.Expired) == 5, "4, 5");
        require(uint8(IntentBook.State.Cancelled) == 6 && uint8(IntentBook.State.Error) == 7, "6, 7");
    }

    /// Row: from. Column: to. Rows and columns in the order of the states.
    function test_only_the_steps_of_the_contract_exist() public view {
        bytes8[8] memory table = [
            bytes8("-O-----E"),
            bytes8("--L--XC-"),
            bytes8("---S-XC-"),
            bytes8("----T---"),
            bytes8("--------"),
            bytes8("--------"),
            bytes8("--------"),
            bytes8("--------")
        ];
        for (uint8 from = 0; from < 8; ++from) {
            for (uint8 to = 0; to < 8; ++to) {
                bool step = book.isStep(IntentBook.State(from), IntentBook.State(to));
                require(step == (table[from][to] != "-"), "step");
            }
        }
    }

    function test_an_intent_goes_from_open_to_settled() public {
        Order memory order = someOrder(1);
        vm.expectEmit(address(book));
        emit IntentBook.IntentTerms(order.id(), WRITER, order);
        vm.expectEmit(address(book));
        emit IntentBook.IntentRecorded(order.id(), WRITER, IntentBook.State.Open, EVIDENCE);
        record(WRITER, order, IntentBook.State.Open);
        is_(order, IntentBook.State.Open);
        record(WRITER, order, IntentBook.State.Locked);
        record(WRITER, order, IntentBook.State.Solved);
        vm.recordLogs();
        record(WRITER, order, IntentBook.State.Settled);
        equal(vm.getRecordedLogs().length, 1, "terms are logged once");
        is_(order, IntentBook.State.Settled);
    }

    function test_the_log_alone_rebuilds_the_terms() public {
        Order memory order = someOrder(1);
        vm.recordLogs();
        record(WRITER, order, IntentBook.State.Error);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        Order memory read = abi.decode(logs[0].data, (Order));
        require(read.id() == order.id() && logs[0].topics[1] == order.id(), "terms");
    }

    /// Any walk through the states: steps are taken, repetitions change nothing, all else reverts.
    function testFuzz_nothing_but_steps_changes_the_book(uint8[16] memory walk) public {
        Order memory order = someOrder(1);
        IntentBook.State now_ = IntentBook.State.NonExistent;
        for (uint256 i = 0; i < walk.length; ++i) {
            IntentBook.State next = IntentBook.State(walk[i] % 8);
            if (next != now_ && !book.isStep(now_, next)) {
                vm.expectRevert(
                    abi.encodeWithSelector(IntentBook.NoSuchStep.selector, order.id(), now_, next)
                );
                record(WRITER, order, next);
            } else {
                vm.recordLogs();
                record(WRITER, order, next);
                uint256 events = next == now_ ? 0 : now_ == IntentBook.State.NonExistent ? 2 : 1;
                equal(vm.getRecordedLogs().length, events, "events");
                now_ = next;
            }
            is_(order, now_);
        }
    }

    function testFuzz_only_the_owner_writes_to_a_log(address stranger) public {
        vm.assume(stranger != WRITER);
        Order memory order = someOrder(1);
        record(WRITER, order, IntentBook.State.Open);
        record(stranger, order, IntentBook.State.Error);
        is_(order, IntentBook.State.Open);
        require(book.stateOf(stranger, order.id()) == IntentBook.State.Error, "own log");
    }

    function test_many_are_recorded_in_their_order() public {
        IntentBook.Entry[] memory entries = new IntentBook.Entry[](3);
        entries[0] = IntentBook.Entry(someOrder(1), IntentBook.State.Open, EVIDENCE);
        entries[1] = IntentBook.Entry(someOrder(2), IntentBook.State.Error, EVIDENCE);
        entries[2] = IntentBook.Entry(someOrder(1), IntentBook.State.Expired, EVIDENCE);
        vm.prank(WRITER);
        book.recordMany(entries);
        is_(someOrder(1), IntentBook.State.Expired);
        is_(someOrder(2), IntentBook.State.Error);
    }

    function test_of_many_all_are_recorded_or_none() public {
        IntentBook.Entry[] memory entries = new IntentBook.Entry[](2);
        entries[0] = IntentBook.Entry(someOrder(1), IntentBook.State.Open, EVIDENCE);
        entries[1] = IntentBook.Entry(someOrder(2), IntentBook.State.Solved, EVIDENCE);
        vm.expectRevert(
            abi.encodeWithSelector(
                IntentBook.NoSuchStep.selector,
                someOrder(2).id(),
                IntentBook.State.NonExistent,
                IntentBook.State.Solved
            )
        );
        vm.prank(WRITER);
        book.recordMany(entries);
        is_(someOrder(1), IntentBook.State.NonExistent);
    }

    function equal(uint256 left, uint256 right, string memory what) internal pure {
        require(left == right, what);
    }
}
