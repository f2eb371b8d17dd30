// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order} from "../Order.sol";

/// @notice What the address for a fiat purchase commits to: a minimum rate instead of an amount, because the amount is known only
/// when the money arrives. The rate holds when `amountOut * rateIn >= rateOut * amountIn`.
struct Jump {
    uint256 version;
    uint256 originChainId;
    bytes32 escrow;
    bytes32 nonce;
    bytes32 maker;
    bytes32 inputToken;
    bytes32 refundTo;
    uint256 destinationChainId;
    bytes32 outputToken;
    bytes32 recipient;
    uint256 rateIn;
    uint256 rateOut;
    uint256 expiry;
}

/// @notice Makes one address per order for plain transfers, and one per jump. Money on such an address goes into the escrow under
/// its very terms or back to the refund address, and nowhere else; anyone may move it there.
interface IDepositFactory {
    event Swept(bytes32 indexed orderId, address indexed depositAddress, address token, uint256 amount);
    event Jumped(
        bytes32 indexed jumpId, bytes32 indexed orderId, address indexed depositAddress, uint256 amount
    );
    event Returned(
        bytes32 indexed id, address indexed depositAddress, address indexed to, address token, uint256 amount
    );
    /// @notice A token that could not be returned was skipped.
    event Skipped(bytes32 indexed id, address indexed depositAddress, address token);

    error WrongChain(uint256 chainId);
    error WrongVersion(uint256 version);
    error OpenDeadlinePassed(uint256 openDeadline);
    error TooLittle(uint256 balance, uint256 amountIn);
    /// @notice The money may still open its order, so it does not go back yet.
    error StillAwaited(bytes32 id);
    error Expired(uint256 expiry);
    error NotTheMaker(address signer);
    /// @notice The order differs from what the jump commits to.
    error JumpMismatch();
    error RateTooLow(uint256 amountIn, uint256 amountOut);
    error OpenFailed();

    /// @notice Where the money of this order or jump is to be sent; the same on every chain.
    function addressOf(bytes32 id) external view returns (address);

    /// @notice Hash of the code that makes a deposit address, for whoever computes addresses by itself.
    function initCodeHash() external view returns (bytes32);

    function jumpId(Jump calldata jump) external pure returns (bytes32);

    /// @notice Opens the order with exactly `amountIn` of what has arrived. Anyone may call, until the open deadline.
    function sweep(Order calldata order) external;

    /// @notice Sends everything else to the refund address: other tokens, what is over, what came late, other chains. A token that fails
    /// is skipped. The input token on the origin chain waits until the order is opened or can no longer be. The zero token is native.
    function giveBack(Order calldata order, address[] calldata tokens) external;

    /// @notice Opens `order` with exactly `amountIn` of what has arrived, on the maker's signature over
    /// `OpenJump(bytes32 jumpId,bytes32 orderId)`. Nobody can stop it by sending more.
    function jump(Jump calldata terms, Order calldata order, bytes calldata makerSignature) external;

    /// @notice Sends everything to the refund address: past expiry, on the maker's signature over `ReleaseJump(bytes32 jumpId)`, or (other
    /// tokens and chains) at once. `makerSignature` is empty where none is needed.
    function giveBackJump(Jump calldata terms, address[] calldata tokens, bytes calldata makerSignature)
        external;
}
