// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Create2} from "@openzeppelin/contracts/utils/Create2.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {IDepositFactory, Jump} from "../interfaces/IDepositFactory.sol";
import {IOriginSettler, OnchainCrossChainOrder} from "../interfaces/IERC7683.sol";
import {IEscrow} from "../interfaces/IEscrow.sol";
import {Order, OrderLib} from "../Order.sol";
import {DepositAddress} from "./DepositAddress.sol";
import {DepositMoves} from "./DepositMoves.sol";
import {JumpLib} from "./JumpLib.sol";

/// @notice Makes the deposit addresses and is the only one that they obey.
/// @dev It keeps nothing and takes no argument: the same address on every chain, for every escrow. What one call does rests on the
/// id's own terms, so whatever a hostile token, escrow or recipient re-enters with, it can only move money to where its terms say.
/// Strangers are called by the hand of the id's own address, or statically: an address of another id that poses as a token or an
/// escrow hears its factory's voice, but cannot move a thing.
contract DepositFactory is IDepositFactory {
    using DepositMoves for DepositAddress;

    /// @notice A return needs this much gas for each token; with less, a good token would be skipped for want of gas.
    error TooLittleGas(uint256 given, uint256 wanted);
    /// @notice Nothing is ever sent to the zero address.
    error NoRefundAddress();
    /// @notice A maker cannot bind a jump's money for longer than a week (and the escrow's grace).
    error FillDeadlineTooFar(uint256 fillDeadline);

    uint256 private constant LEAST_GAS = 150_000;
    uint256 private constant LONGEST_FILL = 7 days;

    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");

    /// @inheritdoc IDepositFactory
    function addressOf(bytes32 id) public view returns (address) {
        return Create2.computeAddress(id, initCodeHash());
    }

    /// @inheritdoc IDepositFactory
    function initCodeHash() public pure returns (bytes32) {
        return keccak256(type(DepositAddress).creationCode);
    }

    /// @inheritdoc IDepositFactory
    function jumpId(Jump calldata terms) external pure returns (bytes32) {
        return JumpLib.id(terms);
    }

    /// @inheritdoc IDepositFactory
    function sweep(Order calldata order) external {
        _checkPlace(order.version, order.originChainId);
        if (block.timestamp > order.openDeadline) revert OpenDeadlinePassed(order.openDeadline);

        bytes32 id = order.calldataId();
        address token = OrderLib.toAddress(order.inputToken);
        address from = addressOf(id);
        uint256 balance = _balanceOf(token, from);
        if (balance < order.amountIn) revert TooLittle(balance, order.amountIn);

        _open(id, id, order, token);
        emit Swept(id, from, token, order.amountIn);
    }

    /// @inheritdoc IDepositFactory
    function giveBack(Order calldata order, address[] calldata tokens) external {
        bytes32 id = order.calldataId();
        // The time comes first: past it, no escrow is asked, so none can hold the money.
        bool awaited = _isPlace(order.version, order.originChainId) && block.timestamp <= order.openDeadline
            && DepositMoves.status(OrderLib.toAddress(order.escrow), id) == uint256(IEscrow.Status.None);
        _giveBack(id, order.refundTo, order.inputToken, awaited, tokens);
    }

    /// @inheritdoc IDepositFactory
    function jump(Jump calldata terms, Order calldata order, bytes calldata makerSignature) external {
        _checkPlace(terms.version, terms.originChainId);
        if (block.timestamp > terms.expiry) revert Expired(terms.expiry);

        bytes32 id = JumpLib.id(terms);
        address from = addressOf(id);
        if (!JumpLib.matches(terms, order) || order.user != OrderLib.toBytes32(from)) revert JumpMismatch();
        if (!JumpLib.rateHolds(terms, order.amountIn, order.amountOut)) {
            revert RateTooLow(order.amountIn, order.amountOut);
        }
        if (order.fillDeadline > block.timestamp + LONGEST_FILL) {
            revert FillDeadlineTooFar(order.fillDeadline);
        }

        address token = OrderLib.toAddress(terms.inputToken);
        uint256 balance = _balanceOf(token, from);
        // The amount is what the maker signed. What came since then waits for another order, or goes to the refund address.
        if (balance < order.amountIn) revert TooLittle(balance, order.amountIn);

        bytes32 orderId = order.calldataId();
        _checkMaker(terms.maker, keccak256(abi.encode(JumpLib.OPEN_TYPEHASH, id, orderId)), makerSignature);
        _open(id, orderId, order, token);
        emit Jumped(id, orderId, from, order.amountIn);
    }

    /// @inheritdoc IDepositFactory
    function giveBackJump(Jump calldata terms, address[] calldata tokens, bytes calldata makerSignature)
        external
    {
        bytes32 id = JumpLib.id(terms);
        bool awaited = _isPlace(terms.version, terms.originChainId) && block.timestamp <= terms.expiry;
        if (awaited && makerSignature.length != 0) {
            _checkMaker(terms.maker, keccak256(abi.encode(JumpLib.RELEASE_TYPEHASH, id)), makerSignature);
            awaited = false;
        }
        _giveBack(id, terms.refundTo, terms.inputToken, awaited, tokens);
    }

    function _open(bytes32 id, bytes32 orderId, Order calldata order, address token) private {
        OnchainCrossChainOrder memory envelope = OnchainCrossChainOrder({
            fillDeadline: SafeCast.toUint32(order.fillDeadline),
            orderDataType: OrderLib.TYPEHASH,
            orderData: abi.encode(order)
        });
        _handOf(id)
            .open(
                OrderLib.toAddress(order.escrow),
                orderId,
                token,
                order.amountIn,
                abi.encodeCall(IOriginSettler.open, (envelope))
            );
    }

    function _giveBack(
        bytes32 id,
        bytes32 refundTo,
        bytes32 inputToken,
        bool awaited,
        address[] calldata tokens
    ) private {
        address from = addressOf(id);
        address to = OrderLib.toAddress(refundTo);
        if (to == address(0)) revert NoRefundAddress();
        address input = awaited ? OrderLib.toAddress(inputToken) : address(0);
        uint256 kept = awaited ? _balanceOf(input, from) : 0;

        for (uint256 i = 0; i < tokens.length; ++i) {
            if (awaited && tokens[i] == input) revert StillAwaited(id);
            _return(id, from, to, tokens[i], tokens.length - i);
        }

        // Some currencies answer at two addresses, as native ones with a token's face do. Under no name does awaited money leave.
        if (awaited && _balanceOf(input, from) < kept) revert StillAwaited(id);
    }

    /// @dev A token gets an equal share of the gas that is left, so that a greedy one cannot starve those after it.
    function _return(bytes32 id, address from, address to, address token, uint256 left) private {
        (bool known, uint256 amount) = DepositMoves.balanceOf(token, from, _share(left));
        if (known && amount == 0) return;
        if (known && _handOf(id).send(token, to, amount, _share(left))) {
            emit Returned(id, from, to, token, amount);
        } else {
            emit Skipped(id, from, token);
        }
    }

    function _share(uint256 left) private view returns (uint256) {
        uint256 given = gasleft();
        uint256 wanted = LEAST_GAS * (left + 1);
        if (given < wanted) revert TooLittleGas(given, wanted);
        return given / (left + 1);
    }

    /// @dev Made when it is first needed.
    function _handOf(bytes32 id) private returns (DepositAddress hand) {
        hand = DepositAddress(payable(addressOf(id)));
        if (address(hand).code.length == 0) new DepositAddress{salt: id}();
    }

    function _balanceOf(address token, address account) private view returns (uint256 balance) {
        (, balance) = DepositMoves.balanceOf(token, account, gasleft());
    }

    function _isPlace(uint256 version, uint256 chainId) private view returns (bool) {
        return version == OrderLib.VERSION && chainId == block.chainid;
    }

    function _checkPlace(uint256 version, uint256 chainId) private view {
        if (version != OrderLib.VERSION) revert WrongVersion(version);
        if (chainId != block.chainid) revert WrongChain(chainId);
    }

    function _checkMaker(bytes32 maker, bytes32 structHash, bytes calldata signature) private view {
        bytes32 domain = keccak256(
            abi.encode(
                DOMAIN_TYPEHASH, keccak256("Causeway Deposits"), keccak256("2"), block.chainid, address(this)
            )
        );
        bytes32 digest = MessageHashUtils.toTypedDataHash(domain, structHash);
        (address signer, ECDSA.RecoverError problem,) = ECDSA.tryRecoverCalldata(digest, signature);
        if (problem != ECDSA.RecoverError.NoError || signer != OrderLib.toAddress(maker)) {
            revert NotTheMaker(signer);
        }
    }
}
