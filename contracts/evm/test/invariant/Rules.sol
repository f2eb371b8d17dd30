// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IEscrow} from "../../src/interfaces/IEscrow.sol";
import {Handler} from "./Handler.sol";

/// @notice The money rules, asked of the contracts and of the book after each call.
contract Rules is Handler {
    function check() public view {
        theEscrowHoldsEveryOpenOrder();
        for (uint256 i = 0; i < lines.length; ++i) {
            endsAtMostOnce(lines[i].id, lines[i].local);
        }
        nobodyButThePartiesReceives();
    }

    /// However a sequence went, in the end everything has left and what left is what came.
    function checkEnd() external {
        windUp();
        check();
        for (uint256 i = 0; i < tokens.length; ++i) {
            require(balance(tokens[i], address(escrow)) == gifts[tokens[i]], "nothing but gifts is left");
            require(sumIn[tokens[i]] == sumOut[tokens[i]], "sum in is sum out");
        }
    }

    /// Rule 7: escrow balance ≥ sum of open orders, always; and the settler holds nothing.
    function theEscrowHoldsEveryOpenOrder() private view {
        uint256[3] memory open;
        for (uint256 k = 0; k < lines.length; ++k) {
            if (escrow.status(lines[k].id) != IEscrow.Status.Open) continue;
            for (uint256 i = 0; i < 3; ++i) {
                if (lines[k].token == tokens[i]) open[i] += lines[k].amountIn;
            }
        }
        for (uint256 i = 0; i < 3; ++i) {
            require(balance(tokens[i], address(escrow)) == open[i] + gifts[tokens[i]], "escrow");
            require(sumIn[tokens[i]] == open[i] + sumOut[tokens[i]], "sums");
            require(balance(tokens[i], address(settler)) == 0, "settler");
        }
    }

    /// Rules 5 to 8: one end, which is the one that the rules say; at most one fill; within one chain never both fill and refund.
    function endsAtMostOnce(bytes32 id, bool local) private view {
        IEscrow.Status status = escrow.status(id);
        require(status == statuses[id], "status");
        bool ended = status == IEscrow.Status.Claimed || status == IEscrow.Status.Refunded;
        require(ends[id] == (ended ? 1 : 0), "ends");
        require(fills[id] <= 1 && settler.filledAt(id) == filledAt[id], "fills");
        bool filled = filledAt[id] != 0;
        require(status != IEscrow.Status.Claimed || filled, "claimed without a fill");
        if (filled && status == IEscrow.Status.Refunded && local) {
            // Only a fill after the filler's own waiver is such a gift.
            require(causes[id] == IEscrow.RefundCause.Waived, "filled and refunded");
        }
    }

    /// Every balance is what the rules say it must be, so nobody else received anything.
    function nobodyButThePartiesReceives() private view {
        for (uint256 k = 0; k < creditors.length; ++k) {
            for (uint256 i = 0; i < 3; ++i) {
                require(balance(tokens[i], creditors[k]) == due[tokens[i]][creditors[k]], "creditor");
            }
        }
    }
}
