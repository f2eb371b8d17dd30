// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

/// @notice Who attests for this escrow. Sets are immutable per epoch: a set is never changed, only followed by another.
interface IAttesterRegistry {
    /// @notice The first set, or a set that the current one has handed over to, counting from `activeFrom`.
    event EpochScheduled(uint256 indexed epoch, address[] attesters, uint256 threshold, uint256 activeFrom);
    event Resigned(uint256 indexed epoch, address indexed attester);
    event OpenPaused(address indexed attester, uint256 until);

    /// @notice A threshold must be above half of the set and at most all of it.
    error BadThreshold(uint256 threshold, uint256 attesters);
    /// @notice Attesters are listed strictly ascending and never zero.
    error AttestersNotAscending();
    /// @notice Signers must be strictly ascending: out of order, or the same attester twice.
    error SignersNotAscending(address signer);
    error NotAnAttester(uint256 epoch, address signer);
    error TooFewSignatures(uint256 given, uint256 threshold);
    error UnknownEpoch(uint256 epoch);
    error ThresholdWouldBreak();

    /// @notice The epoch in effect now.
    function currentEpoch() external view returns (uint256);

    /// @notice Until when opening is paused; past times mean that it is not.
    function pausedUntil() external view returns (uint256);

    /// @notice Both in one call.
    function opening() external view returns (uint256 epoch, uint256 pausedUntil);

    /// @notice How many handovers were ever proposed; the next one is signed with this number.
    function proposals() external view returns (uint256);

    function threshold(uint256 epoch) external view returns (uint256);

    function attesters(uint256 epoch) external view returns (address[] memory);

    /// @notice Whether the key counts in that epoch: in the set and not resigned.
    function isAttester(uint256 epoch, address account) external view returns (bool);

    /// @notice Reverts unless a threshold of the epoch's attesters signed `digest`, signers strictly ascending, low-s only.
    function check(uint256 epoch, bytes32 digest, bytes[] calldata signatures) external view;

    /// @notice Hands over to another set after the delay, on a threshold of the current set's signatures over
    /// `Handover(uint256 epoch,uint256 proposal,address[] attesters,uint256 threshold)` with `epoch` the next one and `proposal` the
    /// number of handovers proposed so far, so that no signature works twice; its domain is `Causeway Attesters`, version 2.
    /// A handover that is not in effect yet is replaced.
    function handOver(address[] calldata members, uint256 needed, bytes[] calldata signatures) external;

    /// @notice Strikes the caller's own key at once, as long as a threshold of keys remains.
    function resign(uint256 epoch) external;

    /// @notice Any attester in effect may stop new deposits for 24 hours. Nothing else pauses, claims and refunds never.
    function pauseOpen() external;
}
