// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

import {AttesterRegistry} from "./AttesterRegistry.sol";
import {Order, OrderLib} from "./Order.sol";
import {ReentrancyGuard} from "./ReentrancyGuard.sol";
import {Terms} from "./Terms.sol";
import {Transfers} from "./Transfers.sol";
import {IEscrow} from "./interfaces/IEscrow.sol";
import {ISettler} from "./interfaces/ISettler.sol";

/// @notice What an escrow knows, and the steps that its calls are made of.
abstract contract EscrowBase is IEscrow, AttesterRegistry, EIP712, ReentrancyGuard {
    using OrderLib for bytes32;

    /// @notice The longest time between the fill deadline and the refund that anyone may ask for.
    uint256 public constant MAX_GRACE = Terms.MAX_GRACE;
    /// @notice The longest time from opening to the fill deadline that anyone may ask for.
    uint256 public constant MAX_FILL_WINDOW = 7 days;
    /// @notice Gas that a referrer gets along with native currency: enough for a wallet contract, too little to burn the claim.
    uint256 public constant REFERRER_GAS = 50_000;

    ISettler public immutable settler;
    /// @notice The shortest time between the fill deadline and the refund that anyone may ask for.
    uint256 public immutable minGrace;

    /// @dev A `Status` in a whole word: writing one needs no reading.
    struct Record {
        uint256 status;
    }

    mapping(bytes32 id => Record) private _records;

    constructor(address[] memory attesters_, uint256 threshold_, address settler_, uint256 minGrace_)
        AttesterRegistry(attesters_, threshold_)
        EIP712("Causeway Escrow", "2")
    {
        if (minGrace_ > MAX_GRACE) revert BadDeadlines();
        settler = ISettler(settler_);
        minGrace = minGrace_;
    }

    /// @inheritdoc IEscrow
    function status(bytes32 id) public view returns (Status) {
        return Status(_records[id].status);
    }

    /// @inheritdoc IEscrow
    function orderId(Order calldata order) external pure returns (bytes32) {
        return order.calldataId();
    }

    /// @dev All that must hold for an order to be opened now; marks it open. `place` is the memory that has its terms.
    function _admit(Order calldata order) internal returns (bytes32 id, uint256 place) {
        if (!Terms.holds(order, minGrace)) Terms.explain(order, minGrace);
        if (order.sameChain()) Terms.checkLocal(order, address(settler));
        // The rest is asked for in one go as well, and in full where the answer is no.
        bool opens = _opensIn(order.epoch);
        uint256 window = MAX_FILL_WINDOW;
        assembly ("memory-safe") {
            // `openDeadline` and `fillDeadline`, by their places in an order.
            let late := gt(timestamp(), calldataload(add(order, 544)))
            opens := gt(opens, or(late, gt(calldataload(add(order, 576)), add(timestamp(), window))))
        }
        if (!opens) _checkOpening(order);
        (id, place) = order.copy();
        Record storage record = _records[id];
        if (record.status != uint256(Status.None)) revert AlreadyOpened(id);
        record.status = uint256(Status.Open);
    }

    /// @dev Reverts with what keeps the order from being opened now, if anything does.
    function _checkOpening(Order calldata order) private view {
        if (block.timestamp > order.openDeadline) revert OpenDeadlinePassed(order.openDeadline);
        uint256 latest = block.timestamp + MAX_FILL_WINDOW;
        if (order.fillDeadline > latest) revert FillDeadlineTooFar(order.fillDeadline, latest);
        (uint256 epoch, uint256 until) = _opening();
        if (order.epoch != epoch) revert WrongEpoch(order.epoch, epoch);
        if (block.timestamp < until) revert OpeningPaused(until);
    }

    /// @dev `emit Open(id, order)`, with the terms that `_admit` left in memory.
    function _logOpen(bytes32 id, uint256 place) internal {
        bytes32 topic = IEscrow.Open.selector;
        uint256 length = OrderLib.ENCODED_LENGTH;
        assembly ("memory-safe") {
            log2(place, length, topic, id)
        }
    }

    /// @dev Takes an order out of `Open` for good.
    function _end(Order calldata order, Status end) internal returns (bytes32 id) {
        id = order.calldataId();
        Record storage record = _records[id];
        if (record.status != uint256(Status.Open)) revert NotOpen(id, Status(record.status));
        record.status = uint256(end);
    }

    /// @dev Ends an order of a batch as claimed if it is open and its fill counts, or says that it is skipped.
    function _endIfFilled(bytes32 id, uint256 filledAt, uint256 fillDeadline) internal returns (bool) {
        Record storage record = _records[id];
        uint256 now_ = record.status;
        if (now_ != uint256(Status.Open) || filledAt == 0 || filledAt > fillDeadline) {
            emit ClaimSkipped(id, Status(now_));
            return false;
        }
        record.status = uint256(Status.Claimed);
        return true;
    }

    function _requireUnfilled(bytes32 id) internal view {
        if (settler.filledAt(id) != 0) revert AlreadyFilled(id);
    }

    /// @dev Within one chain nothing can be filled after the fill deadline, so nobody has to wait for longer.
    function _requireExpired(Order calldata order) internal view {
        uint256 until = order.sameChain() ? order.fillDeadline : order.refundAt;
        if (block.timestamp <= until) revert NotRefundable(until);
    }

    /// @dev False where the referrer could not take its fee. Money that left counts as paid whatever the token said, or a token that
    /// says no and pays all the same would be paid out twice.
    function _payReferrer(address token, address referrer, uint256 fee) internal returns (bool) {
        if (fee == 0) return true;
        // Nobody can starve the referrer to have its fee go to the payee: see `sendCapped`. Of a token, the payee's transfer needs as much
        // gas as the referrer's did.
        if (token == address(0)) return Transfers.sendCapped(referrer, fee, REFERRER_GAS);
        uint256 before = _holding(token);
        return Transfers.send(token, referrer, fee) || _holding(token) < before;
    }

    function _send(address token, address to, uint256 amount) internal {
        if (amount != 0 && !Transfers.send(token, to, amount)) revert TransferFailed(token, to);
    }

    function _holding(address token) internal view returns (uint256) {
        (bool known, uint256 balance) = Transfers.balanceOf(token, address(this));
        if (!known) revert TransferFailed(token, address(this));
        return balance;
    }

    function _requireGain(address token, uint256 before, uint256 wanted) internal view {
        uint256 balance = _holding(token);
        uint256 gained = balance > before ? balance - before : 0;
        if (gained != wanted) revert WrongDelta(gained, wanted);
    }
}
