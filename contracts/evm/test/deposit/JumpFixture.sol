// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order} from "../../src/Order.sol";
import {Jump} from "../../src/interfaces/IDepositFactory.sol";
import {vm} from "../Vm.sol";
import {DepositFixture, DESTINATION, ORIGIN, RECIPIENT, REFUND, START} from "./DepositFixture.sol";

/// @notice Jumps and their maker. Types and domain are spelled out here once more, as any other signer would.
abstract contract JumpFixture is DepositFixture {
    uint256 constant MAKER_KEY = 0x4A8E2;

    /// @dev For three units in, at least two must come out.
    function someJump(address token) internal view returns (Jump memory jump) {
        jump.version = 2;
        jump.originChainId = ORIGIN;
        jump.escrow = word(address(escrow));
        jump.nonce = keccak256("jump");
        jump.maker = word(vm.addr(MAKER_KEY));
        jump.inputToken = word(token);
        jump.refundTo = word(REFUND);
        jump.destinationChainId = DESTINATION;
        jump.outputToken = word(address(0xD0));
        jump.recipient = word(RECIPIENT);
        jump.rateIn = 3;
        jump.rateOut = 2;
        jump.expiry = START + 1 days;
    }

    function orderOf(Jump memory jump, uint256 amountIn, uint256 amountOut)
        internal
        view
        returns (Order memory order)
    {
        order = someOrder(address(uint160(uint256(jump.inputToken))), amountIn);
        order.user = word(depositOf(jump));
        order.amountOut = amountOut;
    }

    function depositOf(Jump memory jump) internal view returns (address) {
        return factory.addressOf(factory.jumpId(jump));
    }

    function domain() internal view returns (bytes32) {
        return keccak256(
            abi.encode(
                keccak256(
                    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
                ),
                keccak256("Causeway Deposits"),
                keccak256("2"),
                block.chainid,
                address(factory)
            )
        );
    }

    function openDigest(Jump memory jump, Order memory order) internal view returns (bytes32) {
        return digest(
            keccak256(
                abi.encode(
                    keccak256("OpenJump(bytes32 jumpId,bytes32 orderId)"), factory.jumpId(jump), order.id()
                )
            )
        );
    }

    function releaseDigest(Jump memory jump) internal view returns (bytes32) {
        return digest(keccak256(abi.encode(keccak256("ReleaseJump(bytes32 jumpId)"), factory.jumpId(jump))));
    }

    function digest(bytes32 structHash) internal view returns (bytes32) {
        return keccak256(abi.encodePacked("\x19\x01", domain(), structHash));
    }

    function signed(uint256 key, bytes32 hash) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, hash);
        return abi.encodePacked(r, s, v);
    }

    function makerOpens(Jump memory jump, Order memory order) internal view returns (bytes memory) {
        return signed(MAKER_KEY, openDigest(jump, order));
    }
}
