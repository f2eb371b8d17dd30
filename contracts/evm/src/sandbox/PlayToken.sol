// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {StandardToken} from "./StandardToken.sol";

/// @notice An ERC-20 token with EIP-2612 permit; stands in for most tokens of a sandbox chain.
/// @dev Slot 7: version. Slot 8: nonces.
contract PlayToken is StandardToken {
    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
    /// Half the order of secp256k1: a signature with a larger `s` is the mirror image of a valid one.
    uint256 private constant MAX_S = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0;

    /// @notice The version in the permit's domain: "2" for USDC, "1" elsewhere.
    string public version;
    mapping(address owner => uint256) public nonces;

    /// @notice Sets an allowance by the owner's signature.
    function permit(
        address owner,
        address spender,
        uint256 value,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        require(block.timestamp <= deadline, "ERC20Permit: expired deadline");
        bytes32 terms =
            keccak256(abi.encode(PERMIT_TYPEHASH, owner, spender, value, nonces[owner]++, deadline));
        bytes32 digest = keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR(), terms));
        address signer = uint256(s) <= MAX_S ? ecrecover(digest, v, r, s) : address(0);
        require(signer != address(0) && signer == owner, "ERC20Permit: invalid signature");
        _approve(owner, spender, value);
    }

    /// @notice The EIP-712 domain that permits are signed for.
    /// @dev Computed at every call: it rests on storage that is written after the code.
    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return keccak256(
            abi.encode(
                DOMAIN_TYPEHASH,
                keccak256(bytes(name)),
                keccak256(bytes(version)),
                block.chainid,
                address(this)
            )
        );
    }
}
