// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {PlayToken} from "../../src/sandbox/PlayToken.sol";
import {Signing} from "../Signing.sol";
import {vm} from "../Vm.sol";
import {SigningWallet} from "../hostile/Wallets.sol";
import {BOB, FAUCET, Genesis} from "./Genesis.sol";

/// EIP-3009 as USDC has it.
contract AuthorizationTest {
    PlayToken token = PlayToken(0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48);
    address owner = vm.addr(1);

    function setUp() public {
        Genesis.place(address(token), type(PlayToken).runtimeCode, "USD Coin", "USDC", 6);
        vm.store(address(token), bytes32(uint256(7)), Genesis.short("2"));
        vm.chainId(1);
        vm.warp(1_000);
        vm.prank(FAUCET);
        token.mint(owner, 100);
    }

    function received(uint256 validBefore) internal view returns (bytes memory) {
        return
            Signing.one(
                1, Signing.authorization(token.DOMAIN_SEPARATOR(), owner, BOB, 40, validBefore, "nonce")
            );
    }

    function refused(address caller, uint256 validBefore, bytes memory signature, string memory reason)
        internal
    {
        vm.expectRevert(abi.encodeWithSignature("Error(string)", reason));
        vm.prank(caller);
        token.receiveWithAuthorization(owner, BOB, 40, 0, validBefore, "nonce", signature);
    }

    function test_the_payee_takes_it_once() public {
        bytes memory signature = received(1_001);
        refused(owner, 1_001, signature, "FiatTokenV2: caller must be the payee");
        vm.prank(BOB);
        token.receiveWithAuthorization(owner, BOB, 40, 0, 1_001, "nonce", signature);
        require(token.balanceOf(BOB) == 40 && token.balanceOf(owner) == 60, "balances");
        refused(BOB, 1_001, signature, "FiatTokenV2: authorization is used or canceled");
    }

    function test_it_has_a_beginning_and_an_end() public {
        bytes memory signature = received(1_000);
        refused(BOB, 1_000, signature, "FiatTokenV2: authorization is expired");
        vm.expectRevert(
            abi.encodeWithSignature("Error(string)", "FiatTokenV2: authorization is not yet valid")
        );
        vm.prank(BOB);
        token.receiveWithAuthorization(owner, BOB, 40, 1_000, 2_000, "nonce", signature);
    }

    function test_another_signature_is_refused() public {
        bytes memory signature = received(1_001);
        refused(BOB, 1_002, signature, "FiatTokenV2: invalid signature");
    }

    function test_a_transfer_is_for_anyone_to_bring() public {
        bytes32 kind = keccak256(
            "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
        );
        bytes32 digest = Signing.typed(
            token.DOMAIN_SEPARATOR(), keccak256(abi.encode(kind, owner, BOB, 40, 0, 1_001, bytes32("nonce")))
        );
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(1, digest);
        token.transferWithAuthorization(owner, BOB, 40, 0, 1_001, "nonce", v, r, s);
        require(token.balanceOf(BOB) == 40, "balance");
    }

    function test_a_wallet_contract_signs_as_it_likes() public {
        SigningWallet wallet = new SigningWallet();
        vm.prank(FAUCET);
        token.mint(address(wallet), 40);
        wallet.set(
            SigningWallet.Behavior.OneDigest,
            Signing.authorization(token.DOMAIN_SEPARATOR(), address(wallet), BOB, 40, 1_001, "nonce")
        );
        vm.prank(BOB);
        token.receiveWithAuthorization(address(wallet), BOB, 40, 0, 1_001, "nonce", "word");
        require(token.balanceOf(BOB) == 40, "balance");
    }
}
