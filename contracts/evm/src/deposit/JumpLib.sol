// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {Jump} from "../interfaces/IDepositFactory.sol";
import {Order} from "../Order.sol";

/// @notice A jump's name, and what an order must say to be one of the jump's.
library JumpLib {
    /// @dev The fields of `CausewayJump`, as EIP-712 writes them.
    string internal constant TYPE = "CausewayJump(uint256 version,uint256 originChainId,bytes32 escrow,bytes32 nonce,"
        "bytes32 maker,bytes32 inputToken,bytes32 refundTo,uint256 destinationChainId,bytes32 outputToken,"
        "bytes32 recipient,uint256 rateIn,uint256 rateOut,uint256 expiry)";

    bytes32 internal constant TYPEHASH = keccak256(bytes(TYPE));
    bytes32 internal constant OPEN_TYPEHASH = keccak256("OpenJump(bytes32 jumpId,bytes32 orderId)");
    bytes32 internal constant RELEASE_TYPEHASH = keccak256("ReleaseJump(bytes32 jumpId)");

    /// @notice The jump's id: the EIP-712 hash of all its terms.
    function id(Jump memory terms) internal pure returns (bytes32) {
        return keccak256(abi.encode(TYPEHASH, terms));
    }

    /// @notice Whether the order keeps what the jump committed to. What the jump leaves open (filler, payee, referrer, settler, nonce,
    /// deadlines, epoch) is the maker's to fill in, and none of it can send the money elsewhere.
    function matches(Jump calldata terms, Order calldata order) internal pure returns (bool) {
        return order.version == terms.version && order.originChainId == terms.originChainId
            && order.escrow == terms.escrow && order.inputToken == terms.inputToken
            && order.refundTo == terms.refundTo && order.destinationChainId == terms.destinationChainId
            && order.outputToken == terms.outputToken && order.recipient == terms.recipient;
    }

    /// @notice Whether `amountOut * rateIn >= rateOut * amountIn`, in 512 bits; a jump without `rateIn` names no rate at all.
    function rateHolds(Jump calldata terms, uint256 amountIn, uint256 amountOut)
        internal
        pure
        returns (bool)
    {
        if (terms.rateIn == 0) return false;
        (uint256 givenHigh, uint256 givenLow) = Math.mul512(amountOut, terms.rateIn);
        (uint256 wantedHigh, uint256 wantedLow) = Math.mul512(terms.rateOut, amountIn);
        return givenHigh > wantedHigh || (givenHigh == wantedHigh && givenLow >= wantedLow);
    }
}
