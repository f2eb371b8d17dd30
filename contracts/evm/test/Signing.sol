// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {vm} from "./Vm.sol";

/// @notice Keys and EIP-712 signatures, written out here anew so that the contracts' own hashing is checked and not repeated.
library Signing {
    uint256 internal constant CURVE_ORDER =
        0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;

    /// @notice New keys, ascending by address.
    function sorted(uint256 count, string memory label) internal pure returns (uint256[] memory keys) {
        keys = new uint256[](count);
        for (uint256 i = 0; i < count; ++i) {
            uint256 key = uint256(keccak256(abi.encode(label, i))) % (CURVE_ORDER - 1) + 1;
            uint256 place = i;
            for (; place > 0 && vm.addr(keys[place - 1]) > vm.addr(key); --place) {
                keys[place] = keys[place - 1];
            }
            keys[place] = key;
        }
    }

    function addresses(uint256[] memory keys) internal pure returns (address[] memory list) {
        list = new address[](keys.length);
        for (uint256 i = 0; i < keys.length; ++i) {
            list[i] = vm.addr(keys[i]);
        }
    }

    function first(uint256[] memory keys, uint256 count) internal pure returns (uint256[] memory some) {
        some = new uint256[](count);
        for (uint256 i = 0; i < count; ++i) {
            some[i] = keys[i];
        }
    }

    function one(uint256 key, bytes32 digest) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return abi.encodePacked(r, s, v);
    }

    /// @notice The malleable counterpart of a signature, which plain `ecrecover` accepts.
    function mirrored(uint256 key, bytes32 digest) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return abi.encodePacked(r, bytes32(CURVE_ORDER - uint256(s)), v == 27 ? uint8(28) : uint8(27));
    }

    function all(uint256[] memory keys, bytes32 digest) internal pure returns (bytes[] memory signatures) {
        signatures = new bytes[](keys.length);
        for (uint256 i = 0; i < keys.length; ++i) {
            signatures[i] = one(keys[i], digest);
        }
    }

    function filled(uint256 chainId, address escrow, bytes32 orderId, uint256 filledAt, bytes32 fillRef)
        internal
        pure
        returns (bytes32)
    {
        bytes32 kind = keccak256("Filled(bytes32 orderId,uint256 filledAt,bytes32 fillRef)");
        bytes32 terms = keccak256(abi.encode(kind, orderId, filledAt, fillRef));
        return typed(domain("Causeway Escrow", "2", chainId, escrow), terms);
    }

    function filledBatch(
        uint256 chainId,
        address escrow,
        bytes32[] memory ids,
        uint256[] memory times,
        bytes32 fillRef
    ) internal pure returns (bytes32) {
        bytes32[] memory refs = new bytes32[](ids.length);
        for (uint256 i = 0; i < ids.length; ++i) {
            refs[i] = fillRef;
        }
        return filledBatch(chainId, escrow, ids, times, refs);
    }

    function filledBatch(
        uint256 chainId,
        address escrow,
        bytes32[] memory ids,
        uint256[] memory times,
        bytes32[] memory fillRefs
    ) internal pure returns (bytes32) {
        bytes memory fills;
        for (uint256 i = 0; i < ids.length; ++i) {
            bytes32 kind = keccak256("Fill(bytes32 orderId,uint256 filledAt,bytes32 fillRef)");
            fills = bytes.concat(fills, keccak256(abi.encode(kind, ids[i], times[i], fillRefs[i])));
        }
        bytes32 list =
            keccak256("FilledBatch(Fill[] fills)Fill(bytes32 orderId,uint256 filledAt,bytes32 fillRef)");
        return
            typed(
                domain("Causeway Escrow", "2", chainId, escrow), keccak256(abi.encode(list, keccak256(fills)))
            );
    }

    /// @notice What a user signs for EIP-3009: a transfer that the escrow alone can take, with the order's id as its nonce.
    function authorization(
        bytes32 tokenDomain,
        address from,
        address to,
        uint256 value,
        uint256 validBefore,
        bytes32 nonce
    ) internal pure returns (bytes32) {
        bytes32 kind = keccak256(
            "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
        );
        return typed(tokenDomain, keccak256(abi.encode(kind, from, to, value, 0, validBefore, nonce)));
    }

    function tokenPermit(
        bytes32 tokenDomain,
        address owner,
        address spender,
        uint256 value,
        uint256 nonce,
        uint256 deadline
    ) internal pure returns (bytes32) {
        bytes32 kind = keccak256(
            "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"
        );
        return typed(tokenDomain, keccak256(abi.encode(kind, owner, spender, value, nonce, deadline)));
    }

    function unfilled(uint256 chainId, address escrow, bytes32 orderId, uint256 time)
        internal
        pure
        returns (bytes32)
    {
        bytes32 kind = keccak256("Unfilled(bytes32 orderId,uint256 destinationTime)");
        bytes32 terms = keccak256(abi.encode(kind, orderId, time));
        return typed(domain("Causeway Escrow", "2", chainId, escrow), terms);
    }

    function handover(
        uint256 chainId,
        address registry,
        uint256 epoch,
        uint256 proposal,
        address[] memory attesters,
        uint256 threshold
    ) internal pure returns (bytes32) {
        bytes32 kind = keccak256(
            "Handover(uint256 epoch,uint256 proposal,address[] attesters,uint256 threshold)"
        );
        bytes32 terms =
            keccak256(abi.encode(kind, epoch, proposal, keccak256(abi.encodePacked(attesters)), threshold));
        return typed(domain("Causeway Attesters", "2", chainId, registry), terms);
    }

    /// @notice What a user signs for Permit2: the transfer, and the order as its witness.
    function permit(
        bytes32 permit2Domain,
        address token,
        uint256 amount,
        address spender,
        uint256 nonce,
        uint256 deadline,
        bytes32 witness,
        string memory witnessType
    ) internal pure returns (bytes32) {
        bytes32 kind = keccak256(
            abi.encodePacked(
                "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,",
                "CausewayOrder witness)",
                witnessType,
                "TokenPermissions(address token,uint256 amount)"
            )
        );
        bytes32 permitted =
            keccak256(abi.encode(keccak256("TokenPermissions(address token,uint256 amount)"), token, amount));
        return typed(permit2Domain, keccak256(abi.encode(kind, permitted, spender, nonce, deadline, witness)));
    }

    function domain(string memory name, string memory version, uint256 chainId, address verifier)
        internal
        pure
        returns (bytes32)
    {
        bytes32 kind = keccak256(
            "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
        );
        return
            keccak256(abi.encode(kind, keccak256(bytes(name)), keccak256(bytes(version)), chainId, verifier));
    }

    function typed(bytes32 separator, bytes32 terms) internal pure returns (bytes32) {
        return keccak256(abi.encodePacked("\x19\x01", separator, terms));
    }
}
