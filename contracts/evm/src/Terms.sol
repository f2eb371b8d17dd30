// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order, OrderLib} from "./Order.sol";
import {IEscrow} from "./interfaces/IEscrow.sol";

/// @notice What an escrow asks of an order's terms, whatever the time and the state.
library Terms {
    using OrderLib for bytes32;

    /// @notice The longest time between the fill deadline and the refund that anyone may ask for.
    uint256 internal constant MAX_GRACE = 7 days;

    /// @notice Reverts with what is wrong with the terms, if anything is.
    function check(Order calldata order, address settler, uint256 minGrace) internal view {
        if (!holds(order, minGrace)) explain(order, minGrace);
        if (order.sameChain()) checkLocal(order, settler);
    }

    /// @notice What is asked of the other end besides, where it is on this chain.
    function checkLocal(Order calldata order, address settler) internal pure {
        if (order.settler != OrderLib.toBytes32(settler)) revert IEscrow.WrongSettler(order.settler);
        order.outputToken.toAddress();
        order.recipient.toAddress();
    }

    /// @notice Whether all that `explain` asks for holds, without a jump for each: nearly all orders that are opened pass.
    /// @dev `explain` decides where this says no, so that only a wrong yes could do harm; the tests compare the two.
    function holds(Order calldata order, uint256 minGrace) internal view returns (bool result) {
        bytes32 self = OrderLib.toBytes32(address(this));
        bytes32 refundAddress = order.refundTo;
        bytes32 payee = order.payee;
        bytes32 referrer = order.referrer;
        bytes32 all = order.inputToken | referrer | refundAddress | payee | order.user | order.filler;
        // Each of these is zero, or something is wrong.
        uint256 wrong = (order.version ^ OrderLib.VERSION) | (order.originChainId ^ block.chainid)
            | uint256(order.escrow ^ self) | (uint256(all) >> 160) | (order.refundAt >> 32);
        uint256 maxGrace = MAX_GRACE;
        assembly ("memory-safe") {
            // `user` and `filler`, `amountIn` and `amountOut`, by their places in an order.
            wrong := or(
                wrong,
                or(iszero(calldataload(add(order, 96))), iszero(calldataload(add(order, 256))))
            )
            wrong := or(wrong, or(iszero(refundAddress), iszero(payee)))
            wrong := or(wrong, or(eq(refundAddress, self), or(eq(payee, self), eq(referrer, self))))
            let amount := calldataload(add(order, 192))
            wrong := or(wrong, or(iszero(amount), iszero(calldataload(add(order, 480)))))
            // `referrerFee`: not above the amount, and of a referrer.
            let fee := calldataload(add(order, 352))
            wrong := or(wrong, or(gt(fee, amount), gt(fee, mul(fee, iszero(iszero(referrer))))))
            // `openDeadline`, `fillDeadline` and `refundAt`, one after the other.
            let fillDeadline := calldataload(add(order, 576))
            let refundAt := calldataload(add(order, 608))
            wrong := or(wrong, iszero(lt(calldataload(add(order, 544)), fillDeadline)))
            wrong := or(wrong, iszero(lt(fillDeadline, refundAt)))
            let grace := sub(refundAt, fillDeadline)
            wrong := or(wrong, or(lt(grace, minGrace), gt(grace, maxGrace)))
            result := iszero(wrong)
        }
    }

    /// @notice Reverts with the first term that is wrong.
    function explain(Order calldata order, uint256 minGrace) internal view {
        if (order.version != OrderLib.VERSION) revert IEscrow.WrongVersion(order.version);
        if (order.originChainId != block.chainid) revert IEscrow.WrongChain(order.originChainId);
        if (order.escrow != OrderLib.toBytes32(address(this))) {
            order.escrow.toAddress();
            revert IEscrow.WrongEscrow(order.escrow);
        }
        _checkParties(order);
        if (order.amountIn == 0 || order.amountOut == 0) revert IEscrow.ZeroAmount();
        if (order.referrerFee > order.amountIn) {
            revert IEscrow.FeeAboveAmount(order.referrerFee, order.amountIn);
        }
        if (order.referrerFee != 0 && order.referrer == 0) revert IEscrow.ZeroAddress();
        _checkDeadlines(order, minGrace);
    }

    function _checkParties(Order calldata order) private view {
        bytes32 refundAddress = order.refundTo;
        bytes32 payee = order.payee;
        bytes32 referrer = order.referrer;
        bytes32 all = order.inputToken | referrer | refundAddress | payee | order.user | order.filler;
        if (uint256(all) >> 160 != 0) _refuseDirty(order);
        if (order.user == 0 || order.filler == 0 || refundAddress == 0 || payee == 0) {
            revert IEscrow.ZeroAddress();
        }
        bytes32 self = OrderLib.toBytes32(address(this));
        if (refundAddress == self || payee == self || referrer == self) revert IEscrow.EscrowAsParty();
    }

    /// @dev Reverts with the one that is no address.
    function _refuseDirty(Order calldata order) private pure {
        order.inputToken.toAddress();
        order.referrer.toAddress();
        order.refundTo.toAddress();
        order.payee.toAddress();
        order.user.toAddress();
        order.filler.toAddress();
    }

    function _checkDeadlines(Order calldata order, uint256 minGrace) private pure {
        uint256 fillDeadline = order.fillDeadline;
        uint256 refundAt = order.refundAt;
        if (order.openDeadline >= fillDeadline || fillDeadline >= refundAt || refundAt > type(uint32).max) {
            revert IEscrow.BadDeadlines();
        }
        uint256 grace = refundAt - fillDeadline;
        if (grace < minGrace || grace > MAX_GRACE) revert IEscrow.BadDeadlines();
    }
}
