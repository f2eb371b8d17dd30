// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {Create2} from "@openzeppelin/contracts/utils/Create2.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";

import {Attestations} from "./Attestations.sol";
import {ClaimBatch} from "./ClaimBatch.sol";
import {Envelope} from "./Envelope.sol";
import {EscrowBase} from "./EscrowBase.sol";
import {Order, OrderLib} from "./Order.sol";
import {Terms} from "./Terms.sol";
import {Transfers} from "./Transfers.sol";
import {UserSignature} from "./UserSignature.sol";
import {IERC3009Receive} from "./interfaces/IERC3009Receive.sol";
import {
    GaslessCrossChainOrder,
    IOriginSettler,
    OnchainCrossChainOrder,
    ResolvedCrossChainOrder
} from "./interfaces/IERC7683.sol";
import {IEscrow, TokenPermit} from "./interfaces/IEscrow.sol";
import {IPermit2} from "./interfaces/IPermit2.sol";

/// @notice Where deposits are held, as `IEscrow` says.
/// @dev Every function writes the order's new status before it moves money, and none can be entered while another runs.
contract Escrow is EscrowBase {
    using OrderLib for bytes32;
    using ClaimBatch for Order;

    /// @notice How long after `refundAt` the user, too, may redirect a refund.
    uint256 public constant USER_REDIRECTS_AFTER = 30 days;

    /// @dev What Permit2 appends to its own type, so that a wallet shows the order's terms and not a bare hash.
    string private constant WITNESS_TYPE = string.concat(
        "CausewayOrder witness)", OrderLib.TYPE, "TokenPermissions(address token,uint256 amount)"
    );

    address public immutable depositFactory;
    bytes32 public immutable depositInitCodeHash;
    IPermit2 public immutable permit2;

    constructor(
        address[] memory attesters_,
        uint256 threshold_,
        address settler_,
        address depositFactory_,
        bytes32 depositInitCodeHash_,
        address permit2_,
        uint256 minGrace_
    ) EscrowBase(attesters_, threshold_, settler_, minGrace_) {
        depositFactory = depositFactory_;
        depositInitCodeHash = depositInitCodeHash_;
        permit2 = IPermit2(permit2_);
    }

    /// @inheritdoc IOriginSettler
    /// @notice Takes the caller's deposit. The caller is the order's user or its deposit address.
    function open(OnchainCrossChainOrder calldata envelope) external payable nonReentrant {
        Order calldata order = Envelope.read(envelope);
        (bytes32 id, uint256 place) = _admit(order);
        if (OrderLib.toBytes32(msg.sender) != order.user) {
            address deposit = Create2.computeAddress(id, depositInitCodeHash, depositFactory);
            if (msg.sender != deposit) revert NotTheDepositor(msg.sender);
        }

        address token = order.inputToken.known();
        if (token == address(0)) {
            if (msg.value != order.amountIn) revert WrongNativeValue(msg.value, order.amountIn);
        } else {
            if (msg.value != 0) revert WrongNativeValue(msg.value, 0);
            _pull(token, msg.sender, order.amountIn);
        }
        _logOpen(id, place);
    }

    /// @inheritdoc IOriginSettler
    /// @notice Takes the user's deposit on the user's Permit2 signature with the order as its witness. Anyone may call.
    function openFor(
        GaslessCrossChainOrder calldata envelope,
        bytes calldata signature,
        bytes calldata originFillerData
    ) external nonReentrant {
        if (originFillerData.length != 0) revert EnvelopeMismatch();
        Order calldata order = Envelope.read(envelope);
        (bytes32 id, uint256 place) = _admit(order);
        address token = _tokenOf(order);
        uint256 before = _holding(token);
        permit2.permitWitnessTransferFrom(
            IPermit2.PermitTransferFrom(
                IPermit2.TokenPermissions(token, order.amountIn), uint256(order.nonce), order.openDeadline
            ),
            IPermit2.SignatureTransferDetails(address(this), order.amountIn),
            order.user.toAddress(),
            id,
            WITNESS_TYPE,
            signature
        );
        _requireGain(token, before, order.amountIn);
        _logOpen(id, place);
    }

    /// @inheritdoc IEscrow
    function openWithAuthorization(Order calldata order, bytes calldata signature) external nonReentrant {
        (bytes32 id, uint256 place) = _admit(order);
        address token = _tokenOf(order);
        uint256 before = _holding(token);
        _receive(IERC3009Receive(token), id, order, signature);
        _requireGain(token, before, order.amountIn);
        _logOpen(id, place);
    }

    /// @inheritdoc IEscrow
    function openWithPermit(Order calldata order, TokenPermit calldata permit, bytes calldata signature)
        external
        nonReentrant
    {
        (bytes32 id, uint256 place) = _admit(order);
        address token = _tokenOf(order);
        address user = order.user.toAddress();
        if (msg.sender != user && !UserSignature.agrees(user, _hashTypedDataV4(id), signature)) {
            revert NotTheUser(user);
        }
        LowLevelCall.callNoReturn(
            token,
            abi.encodeCall(
                IERC20Permit.permit,
                (user, address(this), permit.value, permit.deadline, permit.v, permit.r, permit.s)
            )
        );
        _pull(token, user, order.amountIn);
        _logOpen(id, place);
    }

    /// @inheritdoc IEscrow
    function claim(Order calldata order, uint256 filledAt, bytes32 fillRef, bytes[] calldata signatures)
        external
        nonReentrant
    {
        bytes32 id = _end(order, Status.Claimed);
        if (order.sameChain()) {
            if (signatures.length != 0) revert AttestationsRefused();
            if (settler.filledAt(id) == 0) revert NotFilled(id);
        } else {
            if (filledAt == 0) revert NotFilled(id);
            if (filledAt > order.fillDeadline) revert FilledTooLate(filledAt, order.fillDeadline);
            check(order.epoch, _hashTypedDataV4(Attestations.filled(id, filledAt, fillRef)), signatures);
        }
        address token = order.inputToken.toAddress();
        bool referrerPaid = _payReferrer(token, order.referrer.toAddress(), order.referrerFee);
        uint256 paid = referrerPaid ? order.amountIn - order.referrerFee : order.amountIn;
        _send(token, order.payee.toAddress(), paid);
        emit Claimed(id, paid);
    }

    /// @inheritdoc IEscrow
    function claimBatch(uint256 count, bytes32[] calldata entries, bytes[] calldata signatures)
        external
        nonReentrant
    {
        if (count == 0) revert EmptyBatch();
        bytes32[] memory fills = new bytes32[](count);
        uint256 notes = ClaimBatch.notes(count);
        (uint256 epoch, bool local, uint256 end) = _endAll(notes, fills, entries);
        if (!local) check(epoch, _hashTypedDataV4(Attestations.filledBatch(fills)), signatures);
        else if (signatures.length != 0) revert AttestationsRefused();
        _payAll(notes, end);
    }

    /// @inheritdoc IEscrow
    function refund(Order calldata order) external nonReentrant {
        bytes32 id = _end(order, Status.Refunded);
        bool waived = msg.sender == order.filler.toAddress();
        if (order.sameChain()) _requireUnfilled(id);
        if (!waived) _requireExpired(order);
        _giveBack(id, order, order.refundTo.toAddress(), waived ? RefundCause.Waived : RefundCause.Expired);
    }

    /// @inheritdoc IEscrow
    function refundUnfilled(Order calldata order, uint256 destinationTime, bytes[] calldata signatures)
        external
        nonReentrant
    {
        bytes32 id = _end(order, Status.Refunded);
        if (order.sameChain()) revert AttestationsRefused();
        if (destinationTime <= order.fillDeadline) revert NotUnfilled(destinationTime, order.fillDeadline);
        check(order.epoch, _hashTypedDataV4(Attestations.unfilled(id, destinationTime)), signatures);
        _giveBack(id, order, order.refundTo.toAddress(), RefundCause.Unfilled);
    }

    /// @inheritdoc IEscrow
    function refundTo(Order calldata order, address to) external nonReentrant {
        bytes32 id = _end(order, Status.Refunded);
        if (order.sameChain()) _requireUnfilled(id);
        _requireExpired(order);
        bool allowed = msg.sender == order.refundTo.toAddress()
            || (msg.sender == order.user.toAddress()
                && block.timestamp >= order.refundAt + USER_REDIRECTS_AFTER);
        if (!allowed) revert NotTheRefundAddress(msg.sender);
        if (to == address(0)) revert ZeroAddress();
        if (to == address(this)) revert EscrowAsParty();
        _giveBack(id, order, to, RefundCause.Expired);
    }

    /// @inheritdoc IOriginSettler
    function resolve(OnchainCrossChainOrder calldata envelope)
        external
        view
        returns (ResolvedCrossChainOrder memory)
    {
        return _resolve(Envelope.read(envelope));
    }

    /// @inheritdoc IOriginSettler
    function resolveFor(GaslessCrossChainOrder calldata envelope, bytes calldata originFillerData)
        external
        view
        returns (ResolvedCrossChainOrder memory)
    {
        if (originFillerData.length != 0) revert EnvelopeMismatch();
        return _resolve(Envelope.read(envelope));
    }

    function _resolve(Order calldata order) private view returns (ResolvedCrossChainOrder memory) {
        Terms.check(order, address(settler), minGrace);
        return Envelope.resolve(order, order.calldataId());
    }

    /// @dev The input token of an order that is opened on a signature, which native currency cannot be.
    function _tokenOf(Order calldata order) private pure returns (address token) {
        token = order.inputToken.toAddress();
        if (token == address(0)) revert WrongNativeValue(0, order.amountIn);
    }

    function _pull(address token, address from, uint256 amount) private {
        uint256 before = _holding(token);
        if (!Transfers.pull(token, from, address(this), amount)) {
            revert TransferFailed(token, address(this));
        }
        _requireGain(token, before, amount);
    }

    /// @dev The token refuses an authorization whose nonce, the order's id, or any other part is not what the user signed.
    function _receive(IERC3009Receive token, bytes32 id, Order calldata order, bytes calldata signature)
        private
    {
        address user = order.user.toAddress();
        uint256 before = order.openDeadline + 1;
        if (signature.length == 65) {
            token.receiveWithAuthorization(
                user,
                address(this),
                order.amountIn,
                0,
                before,
                id,
                uint8(signature[64]),
                bytes32(signature[:32]),
                bytes32(signature[32:64])
            );
        } else {
            token.receiveWithAuthorization(user, address(this), order.amountIn, 0, before, id, signature);
        }
    }

    /// @dev Ends all orders of a batch that can be claimed, notes what is due for them, and hashes what is to be signed. `end` is where the
    /// notes end.
    function _endAll(uint256 notes, bytes32[] memory fills, bytes32[] calldata entries)
        private
        returns (uint256 epoch, bool local, uint256 end)
    {
        end = notes;
        Order memory order = ClaimBatch.room();
        uint256 from;
        assembly ("memory-safe") {
            from := entries.offset
        }
        for (uint256 i = 0; i < fills.length; ++i) {
            bytes32 id;
            uint256 filledAt;
            bytes32 fillRef;
            (id, filledAt, fillRef, from) = order.next(from);
            if (i == 0) (epoch, local) = (order.epoch, order.isLocal());
            else if (order.epoch != epoch || order.isLocal() != local) revert MixedBatch(id);
            fills[i] = ClaimBatch.hashFill(id, filledAt, fillRef);
            // Within one chain the settler's record counts and nothing else.
            if (local) filledAt = settler.filledAt(id);
            if (_endIfFilled(id, filledAt, order.fillDeadline)) {
                order.note(end, id);
                end += ClaimBatch.DUE;
            }
        }
        assembly ("memory-safe") {
            from := sub(sub(from, entries.offset), shl(5, entries.length))
        }
        if (from != 0) revert BadBatch();
    }

    /// @dev Referrers one by one, payees once for all orders in a row that pay the same token to the same.
    function _payAll(uint256 note, uint256 end) private {
        bytes32 token = 0;
        bytes32 payee = 0;
        uint256 sum = 0;
        for (; note != end; note += ClaimBatch.DUE) {
            (bytes32 nextToken, bytes32 nextPayee, bytes32 referrer, uint256 fee) = ClaimBatch.read(note);
            if (nextToken != token || nextPayee != payee) {
                _send(token.toAddress(), payee.toAddress(), sum);
                (token, payee, sum) = (nextToken, nextPayee, 0);
            }
            bool referrerPaid = fee == 0 || _payReferrer(token.toAddress(), referrer.toAddress(), fee);
            // Deposits may add up to more than a word holds only of a token that lies, and then this fails.
            sum += ClaimBatch.logClaimed(note, referrerPaid);
        }
        _send(token.toAddress(), payee.toAddress(), sum);
    }

    function _giveBack(bytes32 id, Order calldata order, address to, RefundCause cause) private {
        _send(order.inputToken.toAddress(), to, order.amountIn);
        emit Refunded(id, to, order.amountIn, cause);
    }
}
