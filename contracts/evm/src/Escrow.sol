// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Create2} from "@openzeppelin/contracts/utils/Create2.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

import {Attestations} from "./Attestations.sol";
import {Envelope} from "./Envelope.sol";
import {Order, OrderLib} from "./Order.sol";
import {Transfers} from "./Transfers.sol";
import {IAttesterRegistry} from "./interfaces/IAttesterRegistry.sol";
import {
    GaslessCrossChainOrder,
    IOriginSettler,
    OnchainCrossChainOrder,
    ResolvedCrossChainOrder
} from "./interfaces/IERC7683.sol";
import {IEscrow} from "./interfaces/IEscrow.sol";
import {IPermit2} from "./interfaces/IPermit2.sol";
import {ISettler} from "./interfaces/ISettler.sol";

/// @notice Where deposits are held, as `IEscrow` says.
/// @dev Every function writes the order's new status before it moves money, and none can be entered while another runs.
contract Escrow is IEscrow, EIP712, ReentrancyGuardTransient {
    using OrderLib for bytes32;

    /// @notice The longest time between the fill deadline and the refund that anyone may ask for.
    uint256 public constant MAX_GRACE = 7 days;
    /// @notice How long after `refundAt` the user, too, may redirect a refund.
    uint256 public constant USER_REDIRECTS_AFTER = 30 days;
    /// @notice Gas that a referrer gets along with native currency: enough for a wallet contract, too little to burn the claim.
    uint256 public constant REFERRER_GAS = 50_000;

    /// @dev What Permit2 appends to its own type, so that a wallet shows the order's terms and not a bare hash.
    string private constant WITNESS_TYPE = string.concat(
        "CausewayOrder witness)", OrderLib.TYPE, "TokenPermissions(address token,uint256 amount)"
    );

    IAttesterRegistry public immutable registry;
    ISettler public immutable settler;
    address public immutable depositFactory;
    bytes32 public immutable depositInitCodeHash;
    IPermit2 public immutable permit2;
    /// @notice The shortest time between the fill deadline and the refund that anyone may ask for.
    uint256 public immutable minGrace;

    /// @inheritdoc IEscrow
    mapping(bytes32 id => Status) public status;

    constructor(
        IAttesterRegistry registry_,
        address settler_,
        address depositFactory_,
        bytes32 depositInitCodeHash_,
        address permit2_,
        uint256 minGrace_
    ) EIP712("Causeway Escrow", "1") {
        if (minGrace_ > MAX_GRACE) revert BadDeadlines();
        registry = registry_;
        settler = ISettler(settler_);
        depositFactory = depositFactory_;
        depositInitCodeHash = depositInitCodeHash_;
        permit2 = IPermit2(permit2_);
        minGrace = minGrace_;
    }

    /// @inheritdoc IOriginSettler
    /// @notice Takes the caller's deposit. The caller is the order's user or its deposit address.
    function open(OnchainCrossChainOrder calldata envelope) external payable nonReentrant {
        Order memory order = Envelope.read(envelope);
        bytes32 id = _admit(order);
        if (
            msg.sender != order.user.toAddress()
                && msg.sender != Create2.computeAddress(id, depositInitCodeHash, depositFactory)
        ) revert NotTheDepositor(msg.sender);

        address token = order.inputToken.toAddress();
        uint256 native = token == address(0) ? order.amountIn : 0;
        if (msg.value != native) revert WrongNativeValue(msg.value, native);
        if (token != address(0)) {
            uint256 before = _holding(token);
            if (!Transfers.pull(token, msg.sender, address(this), order.amountIn)) {
                revert TransferFailed(token, address(this));
            }
            _requireGain(token, before, order.amountIn);
        }
        emit Open(id, Envelope.resolve(order, id));
    }

    /// @inheritdoc IOriginSettler
    /// @notice Takes the user's deposit on the user's Permit2 signature with the order as its witness. Anyone may call.
    function openFor(
        GaslessCrossChainOrder calldata envelope,
        bytes calldata signature,
        bytes calldata originFillerData
    ) external nonReentrant {
        if (originFillerData.length != 0) revert EnvelopeMismatch();
        Order memory order = Envelope.read(envelope);
        bytes32 id = _admit(order);

        address token = order.inputToken.toAddress();
        if (token == address(0)) revert WrongNativeValue(0, order.amountIn);
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
        emit Open(id, Envelope.resolve(order, id));
    }

    /// @inheritdoc IEscrow
    function claim(Order calldata order, uint256 filledAt, bytes32 fillRef, bytes[] calldata signatures)
        external
        nonReentrant
    {
        bytes32 id = _end(order, Status.Claimed);
        if (order.sameChain()) {
            if (signatures.length != 0) revert AttestationsRefused();
            filledAt = settler.filledAt(id);
            fillRef = 0;
            if (filledAt == 0) revert NotFilled(id);
        } else {
            if (filledAt == 0) revert NotFilled(id);
            if (filledAt > order.fillDeadline) revert FilledTooLate(filledAt, order.fillDeadline);
            bytes32 digest = _hashTypedDataV4(Attestations.filled(id, filledAt, fillRef));
            registry.check(order.epoch, digest, signatures);
        }
        bool referrerPaid = _payReferrer(order);
        uint256 paid = referrerPaid ? order.amountIn - order.referrerFee : order.amountIn;
        _send(order, order.payee.toAddress(), paid);
        emit Claimed(id, order.payee, paid, order.referrerFee, referrerPaid, filledAt, fillRef);
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
        bytes32 digest = _hashTypedDataV4(Attestations.unfilled(id, destinationTime));
        registry.check(order.epoch, digest, signatures);
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

    /// @inheritdoc IEscrow
    function orderId(Order calldata order) external pure returns (bytes32) {
        return order.id();
    }

    /// @dev All that must hold for an order to be opened now; marks it open.
    function _admit(Order memory order) private returns (bytes32 id) {
        _checkTerms(order);
        if (block.timestamp > order.openDeadline) revert OpenDeadlinePassed(order.openDeadline);
        (uint256 epoch, uint256 pausedUntil) = registry.opening();
        if (order.epoch != epoch) revert WrongEpoch(order.epoch, epoch);
        if (block.timestamp < pausedUntil) revert OpeningPaused(pausedUntil);
        id = order.id();
        if (status[id] != Status.None) revert AlreadyOpened(id);
        status[id] = Status.Open;
    }

    /// @dev What can be said of an order without looking at the time or the state.
    function _checkTerms(Order memory order) private view {
        if (order.version != OrderLib.VERSION) revert WrongVersion(order.version);
        if (order.originChainId != block.chainid) revert WrongChain(order.originChainId);
        if (order.escrow.toAddress() != address(this)) revert WrongEscrow(order.escrow);

        order.inputToken.toAddress();
        address referrer = order.referrer.toAddress();
        address refundAddress = order.refundTo.toAddress();
        address payee = order.payee.toAddress();
        if (
            order.user.toAddress() == address(0) || order.filler.toAddress() == address(0)
                || refundAddress == address(0) || payee == address(0)
        ) revert ZeroAddress();
        if (refundAddress == address(this) || payee == address(this) || referrer == address(this)) {
            revert EscrowAsParty();
        }
        if (order.originChainId == order.destinationChainId) {
            if (order.settler != OrderLib.toBytes32(address(settler))) revert WrongSettler(order.settler);
            order.outputToken.toAddress();
            order.recipient.toAddress();
        }

        if (order.amountIn == 0 || order.amountOut == 0) revert ZeroAmount();
        if (order.referrerFee > order.amountIn) revert FeeAboveAmount(order.referrerFee, order.amountIn);
        if (order.referrerFee != 0 && referrer == address(0)) revert ZeroAddress();

        if (
            order.openDeadline >= order.fillDeadline || order.fillDeadline >= order.refundAt
                || order.refundAt - order.fillDeadline < minGrace
                || order.refundAt - order.fillDeadline > MAX_GRACE || order.refundAt > type(uint32).max
        ) revert BadDeadlines();
    }

    function _resolve(Order memory order) private view returns (ResolvedCrossChainOrder memory) {
        _checkTerms(order);
        return Envelope.resolve(order, order.id());
    }

    /// @dev Takes an order out of `Open` for good.
    function _end(Order calldata order, Status end) private returns (bytes32 id) {
        id = order.id();
        Status now_ = status[id];
        if (now_ != Status.Open) revert NotOpen(id, now_);
        status[id] = end;
    }

    function _requireUnfilled(bytes32 id) private view {
        if (settler.filledAt(id) != 0) revert AlreadyFilled(id);
    }

    /// @dev Within one chain nothing can be filled after the fill deadline, so nobody has to wait for longer.
    function _requireExpired(Order calldata order) private view {
        uint256 until = order.sameChain() ? order.fillDeadline : order.refundAt;
        if (block.timestamp <= until) revert NotRefundable(until);
    }

    function _giveBack(bytes32 id, Order calldata order, address to, RefundCause cause) private {
        _send(order, to, order.amountIn);
        emit Refunded(id, to, order.amountIn, cause);
    }

    /// @dev False where the referrer could not take its fee. Money that left counts as paid whatever the token said, or a token that
    /// says no and pays all the same would be paid out twice.
    function _payReferrer(Order calldata order) private returns (bool) {
        uint256 fee = order.referrerFee;
        if (fee == 0) return true;
        address token = order.inputToken.toAddress();
        address referrer = order.referrer.toAddress();
        if (token == address(0)) {
            // Nobody can starve the referrer to have its fee go to the payee: a call that gets less than the cap leaves a 64th of that
            // behind, far too little to pay the payee with, so the whole claim fails.
            return Transfers.sendCapped(referrer, fee, REFERRER_GAS);
        }
        uint256 before = _holding(token);
        return Transfers.send(token, referrer, fee) || _holding(token) < before;
    }

    function _send(Order calldata order, address to, uint256 amount) private {
        address token = order.inputToken.toAddress();
        if (amount != 0 && !Transfers.send(token, to, amount)) revert TransferFailed(token, to);
    }

    function _holding(address token) private view returns (uint256) {
        if (token.code.length == 0) revert TransferFailed(token, address(this));
        return Transfers.balanceOf(token, address(this));
    }

    function _requireGain(address token, uint256 before, uint256 wanted) private view {
        uint256 balance = _holding(token);
        uint256 gained = balance > before ? balance - before : 0;
        if (gained != wanted) revert WrongDelta(gained, wanted);
    }
}
