// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

/// @notice Takes no native currency.
contract Refuser {
    error NoThanks();

    receive() external payable {
        revert NoThanks();
    }
}

/// @notice Burns whatever gas it is given.
contract GasBurner {
    receive() external payable {
        assembly ("memory-safe") {
            invalid()
        }
    }
}

/// @notice Takes the money and answers with a megabyte, which a careless caller would copy and pay for.
contract Flooder {
    receive() external payable {
        assembly ("memory-safe") {
            return(0, 1000000)
        }
    }
}

/// @notice Needs some 44,500 gas to take native currency, as a wallet that keeps records does.
contract RecordingWallet {
    uint256 public received;
    uint256 public times;

    receive() external payable {
        received += msg.value;
        times += 1;
    }
}
