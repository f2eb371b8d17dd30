// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

/// @notice A feed of the sandbox with the interface of Chainlink's aggregators. Anybody sets what it answers: a price, or as a
/// rollup's sequencer feed 0 for up and 1 for down.
contract PlayAggregator {
    /// @notice The answer's digits after the point.
    uint8 public immutable decimals;

    struct Round {
        uint80 id;
        int256 answer;
        uint256 startedAt;
        uint256 updatedAt;
        uint80 answeredIn;
    }

    Round private _latest;

    constructor(uint8 decimals_) {
        decimals = decimals_;
    }

    /// @notice The next round, complete as of this block.
    function tell(int256 answer) external {
        uint80 id = _latest.id + 1;
        _latest = Round(id, answer, block.timestamp, block.timestamp, id);
    }

    /// @notice A round of any making, such as no honest feed has.
    function tellRound(uint80 id, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredIn)
        external
    {
        _latest = Round(id, answer, startedAt, updatedAt, answeredIn);
    }

    function latestRoundData()
        external
        view
        returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    {
        Round memory latest = _latest;
        return (latest.id, latest.answer, latest.startedAt, latest.updatedAt, latest.answeredIn);
    }
}
