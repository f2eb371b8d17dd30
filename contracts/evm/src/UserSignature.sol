// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @notice Whether an account agreed to a digest: by its key, or as an EIP-1271 wallet.
/// @dev The key comes first, so that an account with code and a key (EIP-7702) signs either way. OpenZeppelin's `SignatureChecker` does not
/// bound the gas of a wallet, which whoever opens for it would pay.
library UserSignature {
    /// @notice Enough for a wallet that verifies several signatures, or one of a curve that the chain has no precompile for.
    uint256 internal constant WALLET_GAS = 500_000;

    function agrees(address account, bytes32 digest, bytes calldata signature) internal view returns (bool) {
        (address signer, ECDSA.RecoverError problem,) = ECDSA.tryRecoverCalldata(digest, signature);
        if (problem == ECDSA.RecoverError.NoError && signer == account) return true;
        return account.code.length != 0 && _walletAgrees(account, digest, signature);
    }

    function _walletAgrees(address wallet, bytes32 digest, bytes calldata signature)
        private
        view
        returns (bool agreed)
    {
        bytes memory data = abi.encodeCall(IERC1271.isValidSignature, (digest, signature));
        bytes32 magic = IERC1271.isValidSignature.selector;
        uint256 cap = WALLET_GAS;
        assembly ("memory-safe") {
            let answered := staticcall(cap, wallet, add(data, 32), mload(data), 0, 32)
            agreed := and(and(answered, gt(returndatasize(), 31)), eq(mload(0), magic))
        }
    }
}
