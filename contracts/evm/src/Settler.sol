// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IERC4626} from "@openzeppelin/contracts/interfaces/IERC4626.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

import {Order, OrderLib} from "./Order.sol";
import {ReentrancyGuard} from "./ReentrancyGuard.sol";
import {Transfers} from "./Transfers.sol";
import {IDestinationSettler} from "./interfaces/IERC7683.sol";
import {ISettler} from "./interfaces/ISettler.sol";

/// @notice Where orders are delivered, as `ISettler` says.
/// @dev The record is written before anything is delivered. One fill runs at a time, so that no delivery counts for two orders.
contract Settler is ISettler, ReentrancyGuard {
    using OrderLib for bytes32;

    /// @inheritdoc ISettler
    mapping(bytes32 id => uint256) public filledAt;

    /// @inheritdoc IDestinationSettler
    /// @notice Delivers `amountOut` from the caller to the recipient. Anyone may fill: the payee is part of the order.
    /// `originData` is `abi.encode(order)`. `fillerData` is empty, or `abi.encode(uint256 maxAssets)` where the output is the share of
    /// an ERC-4626 vault: then at most `maxAssets` of the vault's asset are taken and the shares are minted to the recipient.
    function fill(bytes32 orderId, bytes calldata originData, bytes calldata fillerData)
        external
        payable
        nonReentrant
    {
        Order calldata order = OrderLib.decode(originData);
        _check(order, orderId);
        filledAt[orderId] = block.timestamp;

        address token = order.outputToken.toAddress();
        address recipient = order.recipient.toAddress();
        if (token == address(0)) {
            if (fillerData.length != 0) revert BadFillerData();
            _deliverNative(recipient, order.amountOut);
        } else {
            if (msg.value != 0) revert WrongNativeValue(msg.value, 0);
            uint256 before = _balanceOf(token, recipient);
            if (fillerData.length == 0) _deliverToken(token, recipient, order.amountOut);
            else _deliverShares(IERC4626(token), recipient, order.amountOut, fillerData);
            _requireGain(token, recipient, before, order.amountOut);
        }
        emit Filled(
            orderId,
            msg.sender,
            order.recipient,
            order.outputToken,
            order.amountOut,
            order.originChainId,
            block.timestamp
        );
    }

    function _check(Order calldata order, bytes32 orderId) private view {
        bytes32 id = order.calldataId();
        if (id != orderId) revert WrongOrderId(orderId, id);
        if (order.version != OrderLib.VERSION) revert WrongVersion(order.version);
        if (order.destinationChainId != block.chainid) revert WrongChain(order.destinationChainId);
        if (order.settler != OrderLib.toBytes32(address(this))) revert WrongSettler(order.settler);
        if (block.timestamp > order.fillDeadline) revert FillDeadlinePassed(order.fillDeadline);
        if (filledAt[id] != 0) revert AlreadyFilled(id, filledAt[id]);
        // The escrow of another chain is refused as well: ours bear one address on all of them, and none can spend what it is sent.
        address recipient = order.recipient.toAddress();
        if (
            recipient == address(0) || order.recipient == order.outputToken || recipient == address(this)
                || order.recipient == order.escrow
        ) revert BadRecipient(recipient);
    }

    function _deliverNative(address recipient, uint256 amount) private {
        if (msg.value != amount) revert WrongNativeValue(msg.value, amount);
        if (!Transfers.send(address(0), recipient, amount)) revert TransferFailed(address(0), recipient);
    }

    function _deliverToken(address token, address recipient, uint256 amount) private {
        if (!Transfers.pull(token, msg.sender, recipient, amount)) revert TransferFailed(token, recipient);
    }

    /// @dev The assets pass through here because vaults take them from whoever calls. What the vault leaves goes back to the caller, and
    /// so would anything that was lying here.
    function _deliverShares(IERC4626 vault, address recipient, uint256 shares, bytes calldata fillerData)
        private
    {
        if (fillerData.length != 32) revert BadFillerData();
        uint256 maxAssets = abi.decode(fillerData, (uint256));
        address asset = vault.asset();
        if (!Transfers.pull(asset, msg.sender, address(this), maxAssets)) {
            revert TransferFailed(asset, address(this));
        }
        SafeERC20.forceApprove(IERC20(asset), address(vault), maxAssets);
        vault.mint(shares, recipient);
        SafeERC20.forceApprove(IERC20(asset), address(vault), 0);
        uint256 left = _balanceOf(asset, address(this));
        if (left != 0 && !Transfers.send(asset, msg.sender, left)) revert TransferFailed(asset, msg.sender);
    }

    function _balanceOf(address token, address holder) private view returns (uint256) {
        (bool known, uint256 balance) = Transfers.balanceOf(token, holder);
        if (!known) revert TransferFailed(token, holder);
        return balance;
    }

    function _requireGain(address token, address recipient, uint256 before, uint256 wanted) private view {
        uint256 balance = _balanceOf(token, recipient);
        uint256 gained = balance > before ? balance - before : 0;
        if (gained < wanted) revert DeliveredTooLittle(gained, wanted);
    }
}
