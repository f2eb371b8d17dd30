// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order} from "../Order.sol";
import {IOriginSettler} from "./IERC7683.sol";

/// @notice An EIP-2612 permit for the escrow as the spender.
struct TokenPermit {
    uint256 value;
    uint256 deadline;
    uint8 v;
    bytes32 r;
    bytes32 s;
}

/// @notice Holds deposits until their fill is shown, or gives them back. Nobody owns it and nothing in it changes.
interface IEscrow is IOriginSettler {
    /// @notice `None` until opened; then `Open` ends in exactly one of the two others.
    enum Status {
        None,
        Open,
        Claimed,
        Refunded
    }

    enum RefundCause {
        Waived,
        Unfilled,
        Expired
    }

    /// @notice An order was opened with these terms, which rebuild it from the log alone.
    event Open(bytes32 indexed orderId, Order order);
    /// @notice The order's payee was paid. What is missing to the order's `amountIn` is the fee that the referrer got: all of it, or nothing where
    /// the referrer could not take it.
    event Claimed(bytes32 indexed orderId, uint256 paid);
    /// @notice An order of a batch was left as it is: it is not open any more, or it is and its fill does not count (too late; within one
    /// chain: none).
    event ClaimSkipped(bytes32 indexed orderId, Status status);
    event Refunded(bytes32 indexed orderId, address indexed to, uint256 amount, RefundCause cause);

    error WrongVersion(uint256 version);
    error WrongChain(uint256 chainId);
    error WrongEscrow(bytes32 escrow);
    error WrongSettler(bytes32 settler);
    error WrongOrderType(bytes32 orderDataType);
    /// @notice The ERC-7683 envelope says something else than the order inside it.
    error EnvelopeMismatch();
    error NotTheDepositor(address caller);
    error OpenDeadlinePassed(uint256 openDeadline);
    /// @notice `openDeadline < fillDeadline` and `refundAt - fillDeadline` within the allowed window, all within 32 bits.
    error BadDeadlines();
    /// @notice A deposit is bound for `MAX_FILL_WINDOW` and the grace at most.
    error FillDeadlineTooFar(uint256 fillDeadline, uint256 latest);
    error WrongEpoch(uint256 epoch, uint256 current);
    error OpeningPaused(uint256 until);
    error ZeroAmount();
    error FeeAboveAmount(uint256 referrerFee, uint256 amountIn);
    error ZeroAddress();
    /// @notice Money sent to the escrow itself would belong to nobody.
    error EscrowAsParty();
    error WrongNativeValue(uint256 given, uint256 wanted);
    /// @notice The token did not deliver exactly what was asked for, as tokens with a fee on transfer do.
    error WrongDelta(uint256 received, uint256 wanted);
    error AlreadyOpened(bytes32 orderId);
    error NotOpen(bytes32 orderId, Status status);
    error FilledTooLate(uint256 filledAt, uint256 fillDeadline);
    error NotFilled(bytes32 orderId);
    error AlreadyFilled(bytes32 orderId);
    /// @notice Within one chain the settler's record decides, and signatures are refused.
    error AttestationsRefused();
    error EmptyBatch();
    /// @notice The orders of a batch have one epoch, and are all within one chain or all between two.
    error MixedBatch(bytes32 orderId);
    /// @notice The entries name terms that do not exist, or are longer or shorter than they say.
    error BadBatch();
    /// @notice Neither the user called nor did it sign the order.
    error NotTheUser(address user);
    error NotUnfilled(uint256 destinationTime, uint256 fillDeadline);
    error NotRefundable(uint256 refundAt);
    error NotTheRefundAddress(address caller);
    error TransferFailed(address token, address to);

    function status(bytes32 orderId) external view returns (Status);

    /// @notice The id of these terms; the same everywhere.
    function orderId(Order calldata order) external pure returns (bytes32);

    /// @notice Takes the user's deposit on the user's EIP-3009 authorization to the escrow (`receiveWithAuthorization`) of `amountIn` with the
    /// order's id as its nonce, valid from 0 and before `openDeadline + 1`. Anyone may call. A signature of 65 bytes goes to the token as v,
    /// r and s, any other as it is, for wallet contracts.
    function openWithAuthorization(Order calldata order, bytes calldata signature) external;

    /// @notice Takes the user's deposit after an EIP-2612 permit. The permit alone opens nothing: the user calls, or `signature` is the user's
    /// (an EIP-1271 wallet's too) over the order in the escrow's EIP-712 domain. A permit that fails, as one does that somebody else
    /// has brought to the token already, is ignored: the allowance decides.
    function openWithPermit(Order calldata order, TokenPermit calldata permit, bytes calldata signature)
        external;

    /// @notice Pays the filler's payee on a threshold of `Filled(bytes32 orderId,uint256 filledAt,bytes32 fillRef)`. Anyone may call.
    /// Within one chain no signature is taken and the settler's own record counts. A claim never expires.
    function claim(Order calldata order, uint256 filledAt, bytes32 fillRef, bytes[] calldata signatures)
        external;

    /// @notice Claims many orders on a threshold of `FilledBatch(Fill[] fills)Fill(bytes32 orderId,uint256 filledAt,bytes32 fillRef)` over all
    /// of them in their order. What can no longer be claimed is skipped (`ClaimSkipped`). Orders in a row with the same payee and token
    /// are paid by one transfer; one that fails fails the batch. Within one chain no signatures are taken.
    ///
    /// `entries` are those of `count` orders, each of these words: a head, `fillRef`, and the terms that differ from the order before (of
    /// the first: from zero). The head has `filledAt` in its lowest 64 bits, and above them the places of those terms as up to twelve
    /// runs of 16 bits each, the first in the lowest: the place of the run's first term (0 is `version`) and then how many they are.
    /// A run of 128 and a place has no words: its one term is that of this place, as a refund address is mostly the user.
    function claimBatch(uint256 count, bytes32[] calldata entries, bytes[] calldata signatures) external;

    /// @notice Gives the deposit back because the filler, who calls, waives it; or, once `refundAt` has passed (within one chain:
    /// `fillDeadline`, unfilled), because anyone asks.
    function refund(Order calldata order) external;

    /// @notice Gives it back on a threshold of `Unfilled(bytes32 orderId,uint256 destinationTime)` past the fill deadline. Anyone may call.
    function refundUnfilled(Order calldata order, uint256 destinationTime, bytes[] calldata signatures)
        external;

    /// @notice Gives an expired deposit to another address, for a refund address that cannot receive. Only the refund address
    /// itself may name it, and from thirty days after `refundAt` the user too.
    function refundTo(Order calldata order, address to) external;
}
