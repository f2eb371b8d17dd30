// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order, OrderLib} from "./Order.sol";
import {
    FillInstruction,
    GaslessCrossChainOrder,
    OnchainCrossChainOrder,
    Output,
    ResolvedCrossChainOrder
} from "./interfaces/IERC7683.sol";
import {IEscrow} from "./interfaces/IEscrow.sol";

/// @notice Orders in and out of the shapes of ERC-7683. What an envelope repeats must be what the order inside says.
library Envelope {
    function read(OnchainCrossChainOrder calldata envelope) internal pure returns (Order calldata order) {
        if (envelope.orderDataType != OrderLib.TYPEHASH) {
            revert IEscrow.WrongOrderType(envelope.orderDataType);
        }
        order = OrderLib.decode(envelope.orderData);
        if (envelope.fillDeadline != order.fillDeadline) revert IEscrow.EnvelopeMismatch();
    }

    function read(GaslessCrossChainOrder calldata envelope) internal pure returns (Order calldata order) {
        if (envelope.orderDataType != OrderLib.TYPEHASH) {
            revert IEscrow.WrongOrderType(envelope.orderDataType);
        }
        order = OrderLib.decode(envelope.orderData);
        bool same = OrderLib.toBytes32(envelope.originSettler) == order.escrow
            && OrderLib.toBytes32(envelope.user) == order.user && envelope.nonce == uint256(order.nonce)
            && envelope.originChainId == order.originChainId && envelope.openDeadline == order.openDeadline
            && envelope.fillDeadline == order.fillDeadline;
        if (!same) revert IEscrow.EnvelopeMismatch();
    }

    /// @notice The order for any filler to read, all its terms in `originData`. Only for terms that the escrow has checked.
    function resolve(Order calldata order, bytes32 id)
        internal
        pure
        returns (ResolvedCrossChainOrder memory resolved)
    {
        resolved.user = OrderLib.toAddress(order.user);
        resolved.originChainId = order.originChainId;
        resolved.openDeadline = uint32(order.openDeadline);
        resolved.fillDeadline = uint32(order.fillDeadline);
        resolved.orderId = id;
        resolved.maxSpent = new Output[](1);
        resolved.maxSpent[0] =
            Output(order.outputToken, order.amountOut, order.recipient, order.destinationChainId);
        resolved.minReceived = new Output[](1);
        resolved.minReceived[0] =
            Output(order.inputToken, order.amountIn - order.referrerFee, order.payee, order.originChainId);
        resolved.fillInstructions = new FillInstruction[](1);
        resolved.fillInstructions[0] =
            FillInstruction(order.destinationChainId, order.settler, abi.encode(order));
    }
}
