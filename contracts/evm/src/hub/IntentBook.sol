// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order} from "../Order.sol";

/// @notice A public log of intents and their states. Nobody owns it: each writer keeps a log of its own, in which nobody else writes, and
/// a reader chooses whose word it takes. No money hangs on it.
contract IntentBook {
    /// @notice What became of an intent, as the API names it.
    enum State {
        NonExistent,
        Open,
        Locked,
        Solved,
        Settled,
        Expired,
        Cancelled,
        Error
    }

    struct Entry {
        Order order;
        State state;
        bytes32 evidence;
    }

    /// @notice The intent's terms, when a writer records it for the first time: the log alone rebuilds it.
    event IntentTerms(bytes32 indexed intentId, address indexed writer, Order order);
    /// @notice The intent came to this state; `evidence` is the transaction that shows it, on the chain where it happened.
    event IntentRecorded(bytes32 indexed intentId, address indexed writer, State state, bytes32 evidence);

    /// @notice An intent only ever goes forward, one step at a time.
    error NoSuchStep(bytes32 intentId, State from, State to);

    /// @notice The last state that this writer recorded.
    mapping(address writer => mapping(bytes32 intentId => State)) public stateOf;

    /// @notice Records the intent's next state in the caller's own log. The same state again changes nothing.
    function record(Order calldata order, State state, bytes32 evidence) public {
        bytes32 intentId = order.id();
        State from = stateOf[msg.sender][intentId];
        if (state == from) return;
        if (!isStep(from, state)) revert NoSuchStep(intentId, from, state);

        stateOf[msg.sender][intentId] = state;
        if (from == State.NonExistent) emit IntentTerms(intentId, msg.sender, order);
        emit IntentRecorded(intentId, msg.sender, state, evidence);
    }

    /// @notice Records all of them, in their order, or none.
    function recordMany(Entry[] calldata entries) external {
        for (uint256 i = 0; i < entries.length; ++i) {
            record(entries[i].order, entries[i].state, entries[i].evidence);
        }
    }

    /// @notice Whether an intent may go from one state to the other.
    function isStep(State from, State to) public pure returns (bool) {
        if (from == State.NonExistent) return to == State.Open || to == State.Error;
        if (from == State.Open) return to == State.Locked || to == State.Expired || to == State.Cancelled;
        if (from == State.Locked) return to == State.Solved || to == State.Expired || to == State.Cancelled;
        return from == State.Solved && to == State.Settled;
    }
}
