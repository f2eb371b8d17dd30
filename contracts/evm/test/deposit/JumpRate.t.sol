// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {JumpLib} from "../../src/deposit/JumpLib.sol";
import {Jump} from "../../src/interfaces/IDepositFactory.sol";

/// @notice The comparison of two products, against one done with limbs of 128 bits on paper's way.
contract JumpRateTest {
    function holds(Jump calldata jump, uint256 amountIn, uint256 amountOut) external pure returns (bool) {
        return JumpLib.rateHolds(jump, amountIn, amountOut);
    }

    function check(uint256 rateIn, uint256 rateOut, uint256 amountIn, uint256 amountOut) internal view {
        Jump memory jump;
        (jump.rateIn, jump.rateOut) = (rateIn, rateOut);
        uint256[4] memory given = product(amountOut, rateIn);
        uint256[4] memory wanted = product(rateOut, amountIn);
        bool expected = rateIn != 0;
        for (uint256 i = 4; i > 0 && expected; --i) {
            if (given[i - 1] > wanted[i - 1]) break;
            if (given[i - 1] < wanted[i - 1]) expected = false;
        }
        require(this.holds(jump, amountIn, amountOut) == expected, "rate");
    }

    /// @dev Least limb first.
    function product(uint256 a, uint256 b) internal pure returns (uint256[4] memory limbs) {
        uint256[2] memory left = [a & type(uint128).max, a >> 128];
        uint256[2] memory right = [b & type(uint128).max, b >> 128];
        for (uint256 i = 0; i < 2; ++i) {
            uint256 carry = 0;
            for (uint256 j = 0; j < 2; ++j) {
                uint256 sum = left[i] * right[j];
                uint256 low = (sum & type(uint128).max) + limbs[i + j] + carry;
                limbs[i + j] = low & type(uint128).max;
                carry = (sum >> 128) + (low >> 128);
            }
            limbs[i + 2] += carry;
        }
    }

    function testFuzz_Rule21_no_amount_overflows_the_rate(
        uint256 rateIn,
        uint256 rateOut,
        uint256 amountIn,
        uint256 amountOut
    ) public view {
        check(rateIn, rateOut, amountIn, amountOut);
        check(rateIn, rateOut % 1_000, amountIn % 1_000, amountOut);
        // Equal products, and off by one on either side.
        check(rateIn, amountOut, rateIn, amountOut);
        if (amountOut != 0) check(rateIn, amountOut, rateIn, amountOut - 1);
        if (rateIn != 0) check(rateIn, amountOut, rateIn - 1, amountOut);
    }

    function test_Rule21_the_largest_numbers_compare() public view {
        uint256 max = type(uint256).max;
        check(max, max, max, max);
        check(max, max, max, max - 1);
        check(max - 1, max, max, max);
        check(1, max, max, max);
        check(max, 1, 1, 0);
        check(0, 0, 0, 0);
    }
}
