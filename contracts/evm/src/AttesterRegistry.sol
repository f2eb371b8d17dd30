// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";

import {IAttesterRegistry} from "./interfaces/IAttesterRegistry.sol";

/// @notice The attesters of one escrow, as `IAttesterRegistry` says. It is a part of the escrow and not a contract of its own: opening and
/// claiming would pay more than 3,000 gas for asking another contract.
/// @dev A key counts in an epoch from the day that the epoch is in effect until it resigns, for as long as orders of that epoch are
/// open: there is no end to an epoch but for opening.
abstract contract AttesterRegistry is IAttesterRegistry {
    /// @notice From a handover until the new set is in effect.
    uint256 public constant HANDOVER_DELAY = 48 hours;
    /// @notice How long one word of an attester stops new deposits.
    uint256 public constant PAUSE = 24 hours;

    bytes32 private constant HANDOVER_TYPEHASH =
        keccak256("Handover(uint256 epoch,uint256 proposal,address[] attesters,uint256 threshold)");

    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");

    enum Standing {
        Stranger,
        Attester,
        Resigned
    }

    struct Set {
        address[] members;
        uint128 threshold;
        uint128 remaining;
    }

    /// @dev One word, so that opening an order reads it at once.
    struct EpochState {
        uint64 newest;
        uint64 newestFrom;
        uint64 pausedUntil;
        uint64 proposals;
    }

    EpochState private _epochState;
    mapping(uint256 epoch => Set) private _sets;
    mapping(uint256 epoch => mapping(address account => Standing)) private _standings;

    constructor(address[] memory members, uint256 needed) {
        _schedule(1, members, needed, block.timestamp);
    }

    /// @inheritdoc IAttesterRegistry
    function currentEpoch() public view returns (uint256 epoch) {
        (epoch,) = _opening();
    }

    /// @inheritdoc IAttesterRegistry
    function pausedUntil() external view returns (uint256) {
        return _epochState.pausedUntil;
    }

    /// @inheritdoc IAttesterRegistry
    function opening() external view returns (uint256, uint256) {
        return _opening();
    }

    /// @inheritdoc IAttesterRegistry
    function proposals() external view returns (uint256) {
        return _epochState.proposals;
    }

    /// @inheritdoc IAttesterRegistry
    function threshold(uint256 epoch) external view returns (uint256) {
        return _sets[epoch].threshold;
    }

    /// @inheritdoc IAttesterRegistry
    function attesters(uint256 epoch) external view returns (address[] memory) {
        return _sets[epoch].members;
    }

    /// @inheritdoc IAttesterRegistry
    function isAttester(uint256 epoch, address account) external view returns (bool) {
        return _standings[epoch][account] == Standing.Attester;
    }

    /// @inheritdoc IAttesterRegistry
    function check(uint256 epoch, bytes32 digest, bytes[] calldata signatures) public view {
        // A set that is not in effect yet may still be replaced, so it says nothing.
        if (epoch == 0 || epoch > currentEpoch()) revert UnknownEpoch(epoch);
        uint256 needed = _sets[epoch].threshold;
        if (signatures.length < needed) revert TooFewSignatures(signatures.length, needed);
        address last = address(0);
        for (uint256 i = 0; i < signatures.length; ++i) {
            address signer = ECDSA.recoverCalldata(digest, signatures[i]);
            if (signer <= last) revert SignersNotAscending(signer);
            if (_standings[epoch][signer] != Standing.Attester) revert NotAnAttester(epoch, signer);
            last = signer;
        }
    }

    /// @inheritdoc IAttesterRegistry
    function handOver(address[] calldata members, uint256 needed, bytes[] calldata signatures) external {
        uint256 current = currentEpoch();
        uint256 proposal = _epochState.proposals;
        bytes32 terms = keccak256(
            abi.encode(HANDOVER_TYPEHASH, current + 1, proposal, keccak256(abi.encodePacked(members)), needed)
        );
        check(current, _attestersDigest(terms), signatures);

        _forget(current + 1);
        _epochState.proposals = uint64(proposal + 1);
        _schedule(current + 1, members, needed, block.timestamp + HANDOVER_DELAY);
    }

    /// @inheritdoc IAttesterRegistry
    function resign(uint256 epoch) external {
        if (_standings[epoch][msg.sender] != Standing.Attester) revert NotAnAttester(epoch, msg.sender);
        Set storage set = _sets[epoch];
        if (set.remaining == set.threshold) revert ThresholdWouldBreak();
        set.remaining -= 1;
        _standings[epoch][msg.sender] = Standing.Resigned;
        emit Resigned(epoch, msg.sender);
    }

    /// @inheritdoc IAttesterRegistry
    function pauseOpen() external {
        uint256 current = currentEpoch();
        if (_standings[current][msg.sender] != Standing.Attester) revert NotAnAttester(current, msg.sender);
        uint256 until = block.timestamp + PAUSE;
        _epochState.pausedUntil = uint64(until);
        emit OpenPaused(msg.sender, until);
    }

    /// @dev The epoch in effect and until when opening is paused, from one word.
    function _opening() internal view returns (uint256 epoch, uint256 until) {
        uint256 word;
        assembly ("memory-safe") {
            word := sload(_epochState.slot)
        }
        epoch = uint64(word);
        if (block.timestamp < uint64(word >> 64)) epoch -= 1;
        until = uint64(word >> 128);
    }

    /// @dev Whether the newest set is in effect, is this epoch's and opening is not paused: as nearly always. `_opening` tells the rest.
    function _opensIn(uint256 epoch) internal view returns (bool result) {
        assembly ("memory-safe") {
            let word := sload(_epochState.slot)
            let time := timestamp()
            let mask := 0xffffffffffffffff
            result := and(eq(and(word, mask), epoch), iszero(lt(time, and(shr(64, word), mask))))
            result := and(result, iszero(lt(time, and(shr(128, word), mask))))
        }
    }

    /// @dev The domain of statements about the attesters themselves, which no statement about an order shares.
    function _attestersDigest(bytes32 structHash) private view returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                DOMAIN_TYPEHASH, keccak256("Causeway Attesters"), keccak256("2"), block.chainid, address(this)
            )
        );
        return MessageHashUtils.toTypedDataHash(domain, structHash);
    }

    function _schedule(uint256 epoch, address[] memory members, uint256 needed, uint256 from) private {
        if (needed > members.length || needed * 2 <= members.length) {
            revert BadThreshold(needed, members.length);
        }
        address last = address(0);
        for (uint256 i = 0; i < members.length; ++i) {
            if (members[i] <= last) revert AttestersNotAscending();
            last = members[i];
            _standings[epoch][last] = Standing.Attester;
        }
        _sets[epoch] = Set(members, uint128(needed), uint128(members.length));
        _epochState.newest = uint64(epoch);
        _epochState.newestFrom = uint64(from);
        emit EpochScheduled(epoch, members, needed, from);
    }

    /// @dev Undoes a handover that is being replaced; there is nothing to undo for an epoch that nobody proposed.
    function _forget(uint256 epoch) private {
        address[] storage members = _sets[epoch].members;
        for (uint256 i = 0; i < members.length; ++i) {
            delete _standings[epoch][members[i]];
        }
        delete _sets[epoch];
    }
}
