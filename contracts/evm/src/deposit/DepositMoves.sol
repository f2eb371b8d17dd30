// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {IDepositFactory} from "../interfaces/IDepositFactory.sol";
import {IEscrow} from "../interfaces/IEscrow.sol";
import {DepositAddress} from "./DepositAddress.sol";

/// @notice The moves a factory makes with the hand of a deposit address, and the careful reading of strangers. The zero token is native.
library DepositMoves {
    /// @dev What a deposit address gets to send native currency with. Of this it keeps some 200 gas for itself, and the EVM takes 9,000 or
    /// more for the value and leaves it a 64th; the recipient gets the rest and a stipend of 2,300, less than 100,000 in all.
    uint256 private constant NATIVE_SEND_GAS = 108_000;

    /// @notice Opens an order with exactly `amount`; `data` calls the escrow's `open`. The escrow's refusal comes back as it is.
    function open(
        DepositAddress from,
        address escrow,
        bytes32 orderId,
        address token,
        uint256 amount,
        bytes memory data
    ) internal {
        // No call leaves an allowance behind, so tokens that demand a zero one first are content.
        if (token != address(0) && !_approve(from, token, escrow, amount)) {
            revert IDepositFactory.OpenFailed();
        }

        (bool done, uint256 size,) = _act(from, gasleft(), escrow, token == address(0) ? amount : 0, data);
        if (!done && size != 0) LowLevelCall.bubbleRevert();
        // An address without code, or a contract of another kind, would have taken the call and opened nothing.
        if (!done || status(escrow, orderId) != uint256(IEscrow.Status.Open)) {
            revert IDepositFactory.OpenFailed();
        }

        if (token != address(0) && IERC20(token).allowance(address(from), escrow) != 0) {
            if (!_approve(from, token, escrow, 0)) revert IDepositFactory.OpenFailed();
        }
    }

    /// @notice Sends and says whether it worked; spends at most `gasLimit` and never reverts. A recipient of native currency gets at most
    /// 100,000 gas.
    function send(DepositAddress from, address token, address to, uint256 amount, uint256 gasLimit)
        internal
        returns (bool sent)
    {
        if (token != address(0)) {
            return _tell(from, gasLimit, token, abi.encodeCall(IERC20.transfer, (to, amount)));
        }
        (sent,,) = _act(from, gasLimit < NATIVE_SEND_GAS ? gasLimit : NATIVE_SEND_GAS, to, amount, "");
    }

    /// @notice What `account` holds; not known where a token does not answer within `gasLimit`.
    function balanceOf(address token, address account, uint256 gasLimit)
        internal
        view
        returns (bool known, uint256 balance)
    {
        if (token == address(0)) return (true, account.balance);
        return _read(token, gasLimit, abi.encodeCall(IERC20.balanceOf, (account)));
    }

    /// @notice The escrow's word about an order; an escrow that does not answer knows of none.
    function status(address escrow, bytes32 orderId) internal view returns (uint256 answer) {
        (, answer) = _read(escrow, gasleft(), abi.encodeCall(IEscrow.status, (orderId)));
    }

    function _approve(DepositAddress from, address token, address spender, uint256 amount)
        private
        returns (bool)
    {
        return _tell(from, gasleft(), token, abi.encodeCall(IERC20.approve, (spender, amount)));
    }

    /// @dev Some tokens return nothing; then the call's success counts, if there is code at all.
    function _tell(DepositAddress from, uint256 gasLimit, address token, bytes memory data)
        private
        returns (bool)
    {
        (bool done, uint256 size, uint256 word) = _act(from, gasLimit, token, 0, data);
        return done && (size == 0 ? token.code.length != 0 : size == 32 && word == 1);
    }

    /// @dev Copies one word of the answer and no more.
    function _act(DepositAddress from, uint256 gasLimit, address target, uint256 value, bytes memory data)
        private
        returns (bool done, uint256 size, uint256 word)
    {
        bytes memory act = abi.encodePacked(uint256(uint160(target)), value, data);
        assembly ("memory-safe") {
            done := call(gasLimit, from, 0, add(act, 32), mload(act), 0, 32)
            size := returndatasize()
            word := mload(0)
        }
    }

    function _read(address target, uint256 gasLimit, bytes memory data)
        private
        view
        returns (bool known, uint256 word)
    {
        assembly ("memory-safe") {
            known := staticcall(gasLimit, target, add(data, 32), mload(data), 0, 32)
            known := and(known, gt(returndatasize(), 31))
            if known { word := mload(0) }
        }
    }
}
