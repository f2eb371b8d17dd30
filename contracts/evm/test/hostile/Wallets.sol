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

/// @notice Receives the money and returns as much data as 100,000 gas allow, for which a careless caller would pay.
contract Flooder {
    receive() external payable {
        assembly ("memory-safe") {
            return(0, 180000)
        }
    }
}

/// @notice Remembers how much gas it was given.
contract GasMeter {
    uint256 public given;

    receive() external payable {
        given = gasleft();
    }
}

/// @notice Needs a configured amount of gas to receive native currency, and reverts with less.
contract Eater {
    uint256 public immutable appetite;

    constructor(uint256 appetite_) {
        appetite = appetite_;
    }

    receive() external payable {
        uint256 end = gasleft() - appetite;
        while (gasleft() > end) {}
    }
}

/// @notice An EIP-1271 wallet that accepts one digest, all, or none, burns gas or returns too much data.
contract SigningWallet {
    enum Behavior {
        OneDigest,
        Yes,
        No,
        BurnsGas,
        Floods
    }

    Behavior public behavior;
    bytes32 public agreed;

    function set(Behavior behavior_, bytes32 agreed_) external {
        (behavior, agreed) = (behavior_, agreed_);
    }

    function act(address target, bytes calldata data) external {
        (bool done,) = target.call(data);
        require(done, "act");
    }

    function isValidSignature(bytes32 digest, bytes calldata) external view returns (bytes4) {
        if (behavior == Behavior.BurnsGas) {
            assembly ("memory-safe") {
                invalid()
            }
        }
        if (behavior == Behavior.Floods) {
            assembly ("memory-safe") {
                return(0, 300000)
            }
        }
        bool yes = behavior == Behavior.Yes || (behavior == Behavior.OneDigest && digest == agreed);
        return yes ? this.isValidSignature.selector : bytes4(0);
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
