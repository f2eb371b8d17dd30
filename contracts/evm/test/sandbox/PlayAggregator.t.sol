// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {PlayAggregator} from "../../src/sandbox/PlayAggregator.sol";

contract PlayAggregatorTest {
    PlayAggregator private immutable FEED = new PlayAggregator(8);

    function test_an_answer_makes_the_next_round_complete_as_of_now() public {
        require(FEED.decimals() == 8, "decimals");
        FEED.tell(1);
        FEED.tell(3500e8);
        (uint80 id, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredIn) =
            FEED.latestRoundData();
        require(id == 2 && answeredIn == 2, "round");
        require(answer == 3500e8, "answer");
        require(startedAt == block.timestamp && updatedAt == block.timestamp, "times");
    }

    function testFuzz_a_round_is_returned_as_it_was_set(
        uint80 id,
        int256 answer,
        uint256 startedAt,
        uint256 updatedAt,
        uint80 answeredIn
    ) public {
        FEED.tellRound(id, answer, startedAt, updatedAt, answeredIn);
        (uint80 a, int256 b, uint256 c, uint256 d, uint80 e) = FEED.latestRoundData();
        require(a == id && b == answer && c == startedAt && d == updatedAt && e == answeredIn, "round");
    }
}
