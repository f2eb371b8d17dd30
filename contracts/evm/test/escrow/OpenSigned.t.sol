// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order} from "../../src/Order.sol";
import {IEscrow, TokenPermit} from "../../src/interfaces/IEscrow.sol";
import {WrappedNative} from "../../src/sandbox/WrappedNative.sol";
import {Fixture} from "../Fixture.sol";
import {Signing} from "../Signing.sol";
import {vm} from "../Vm.sol";
import {SigningWallet} from "../hostile/Wallets.sol";
import {Genesis} from "../sandbox/Genesis.sol";

/// Opening by EIP-3009 and by EIP-2612: the user needs neither an allowance nor gas.
contract OpenSignedTest is Fixture {
    bytes constant INVALID = abi.encodeWithSignature("Error(string)", "FiatTokenV2: invalid signature");

    function authorization(Order memory order, uint256 key) internal view returns (bytes memory) {
        return Signing.one(key, authorizationDigest(order));
    }

    function authorizationDigest(Order memory order) internal view returns (bytes32) {
        return Signing.authorization(
            usd.DOMAIN_SEPARATOR(),
            _a(order.user),
            address(escrow),
            order.amountIn,
            order.openDeadline + 1,
            order.id()
        );
    }

    function permit(uint256 value) internal view returns (TokenPermit memory signed) {
        bytes32 digest = Signing.tokenPermit(
            usd.DOMAIN_SEPARATOR(), user, address(escrow), value, usd.nonces(user), START + 60
        );
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(USER_KEY, digest);
        return TokenPermit(value, START + 60, v, r, s);
    }

    function orderDigest(Order memory order) internal view returns (bytes32) {
        return Signing.typed(Signing.domain("Causeway Escrow", "2", ORIGIN, address(escrow)), order.id());
    }

    function consent(Order memory order, uint256 key) internal view returns (bytes memory) {
        return Signing.one(key, orderDigest(order));
    }

    function give(uint256 amount) internal {
        fund(address(usd), user, address(1), amount);
    }

    function authorized(Order memory order, bytes memory signature) internal {
        vm.prank(STRANGER);
        escrow.openWithAuthorization(order, signature);
    }

    function refusedAuthorization(Order memory order, bytes memory signature, bytes memory problem) internal {
        vm.expectRevert(problem);
        authorized(order, signature);
        eq(status(order), IEscrow.Status.None);
    }

    function permitted(address caller, Order memory order, TokenPermit memory signed, bytes memory signature)
        internal
    {
        vm.prank(caller);
        escrow.openWithPermit(order, signed, signature);
    }

    function test_Rule04_AnyoneOpensWithTheUsersAuthorization() public {
        Order memory order = crossOrder();
        give(order.amountIn);
        bytes memory signature = authorization(order, USER_KEY);
        vm.expectEmit(address(escrow));
        emit IEscrow.Open(order.id(), order);
        authorized(order, signature);
        eq(status(order), IEscrow.Status.Open);
        eq(usd.balanceOf(address(escrow)), order.amountIn, "escrow");
        eq(usd.balanceOf(user), 0, "user");
        require(usd.authorizationState(user, order.id()), "nonce");
    }

    /// Whatever term a relayer changes, the user's authorization no longer fits: its nonce is the id of all terms.
    function testFuzz_Rule04_NoTermCanBeChangedUnderTheAuthorization(uint256 word, uint256 bit) public {
        Order memory order = crossOrder();
        bytes memory signature = authorization(order, USER_KEY);
        give(order.amountIn * 2);
        word = within(word, 0, 20);
        assembly ("memory-safe") {
            let place := add(order, mul(32, word))
            mstore(place, xor(mload(place), shl(mod(bit, 8), 1)))
        }
        vm.expectRevert();
        authorized(order, signature);
        eq(usd.balanceOf(address(escrow)), 0, "escrow");
    }

    function test_Rule04_AnAuthorizationIsOfNoUseToAnybodyElse() public {
        Order memory order = crossOrder();
        give(order.amountIn);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(USER_KEY, authorizationDigest(order));
        bytes32 id = order.id();
        vm.expectRevert(abi.encodeWithSignature("Error(string)", "FiatTokenV2: caller must be the payee"));
        vm.prank(STRANGER);
        usd.receiveWithAuthorization(
            user, address(escrow), order.amountIn, 0, order.openDeadline + 1, id, v, r, s
        );
        vm.expectRevert(INVALID);
        usd.transferWithAuthorization(
            user, address(escrow), order.amountIn, 0, order.openDeadline + 1, id, v, r, s
        );
        authorized(order, abi.encodePacked(r, s, v));
    }

    function test_Rule04_AnAuthorizationOpensOnce() public {
        Order memory order = crossOrder();
        give(order.amountIn * 2);
        bytes memory signature = authorization(order, USER_KEY);
        authorized(order, signature);
        vm.expectRevert(abi.encodeWithSelector(IEscrow.AlreadyOpened.selector, order.id()));
        authorized(order, signature);
    }

    function test_Rule04_AForeignOrCancelledAuthorizationIsRefused() public {
        Order memory order = crossOrder();
        give(order.amountIn);
        refusedAuthorization(order, authorization(order, 7), INVALID);
        refusedAuthorization(order, "", INVALID);
        vm.chainId(ORIGIN + 1);
        bytes memory elsewhere = authorization(order, USER_KEY);
        vm.chainId(ORIGIN);
        refusedAuthorization(order, elsewhere, INVALID);
        bytes32 cancel = Signing.typed(
            usd.DOMAIN_SEPARATOR(),
            keccak256(
                abi.encode(
                    keccak256("CancelAuthorization(address authorizer,bytes32 nonce)"), user, order.id()
                )
            )
        );
        usd.cancelAuthorization(user, order.id(), Signing.one(USER_KEY, cancel));
        refusedAuthorization(
            order,
            authorization(order, USER_KEY),
            abi.encodeWithSignature("Error(string)", "FiatTokenV2: authorization is used or canceled")
        );
    }

    function test_Rule03_AnAuthorizationEndsWithTheOpenDeadline() public {
        Order memory order = crossOrder();
        give(order.amountIn);
        bytes memory signature = authorization(order, USER_KEY);
        vm.warp(order.openDeadline + 1);
        refusedAuthorization(
            order, signature, abi.encodeWithSelector(IEscrow.OpenDeadlinePassed.selector, order.openDeadline)
        );
        vm.warp(order.openDeadline);
        authorized(order, signature);
    }

    function test_Rule04_AWalletContractAuthorizes() public {
        SigningWallet wallet = new SigningWallet();
        Order memory order = crossOrder();
        order.user = _b(address(wallet));
        fund(address(usd), address(wallet), address(1), order.amountIn);
        wallet.set(SigningWallet.Behavior.OneDigest, authorizationDigest(order));
        authorized(order, "as the wallet likes it");
        eq(status(order), IEscrow.Status.Open);
        order.nonce = "another";
        refusedAuthorization(order, "as the wallet likes it", INVALID);
    }

    /// A token that takes any call as a deposit, and one that takes a fee: what has not arrived was not deposited.
    function test_Rule04_ATokenWithoutAuthorizationsOpensNothing() public {
        Order memory order = crossOrder();
        WrappedNative wrapped = WrappedNative(payable(address(0x3E74)));
        Genesis.place(address(wrapped), type(WrappedNative).runtimeCode, "Wrapped", "W", 18);
        order.inputToken = _b(address(wrapped));
        bytes memory signature = authorization(order, USER_KEY);
        refusedAuthorization(
            order, signature, abi.encodeWithSelector(IEscrow.WrongDelta.selector, 0, order.amountIn)
        );
        order.inputToken = _b(address(taxed));
        vm.expectRevert();
        authorized(order, signature);
        order.inputToken = _b(STRANGER);
        refusedAuthorization(
            order,
            signature,
            abi.encodeWithSelector(IEscrow.TransferFailed.selector, STRANGER, address(escrow))
        );
        order.inputToken = 0;
        refusedAuthorization(
            order, signature, abi.encodeWithSelector(IEscrow.WrongNativeValue.selector, 0, order.amountIn)
        );
    }

    function test_Rule04_AnyoneOpensWithAPermitAndTheUsersSignature() public {
        Order memory order = crossOrder();
        give(order.amountIn);
        TokenPermit memory signed = permit(order.amountIn);
        bytes memory word = consent(order, USER_KEY);
        vm.expectEmit(address(escrow));
        emit IEscrow.Open(order.id(), order);
        permitted(STRANGER, order, signed, word);
        eq(status(order), IEscrow.Status.Open);
        eq(usd.balanceOf(address(escrow)), order.amountIn, "escrow");
        eq(usd.allowance(user, address(escrow)), 0, "allowance");
    }

    function test_Rule04_TheUserNeedsNoSignature() public {
        Order memory order = crossOrder();
        give(order.amountIn);
        permitted(user, order, permit(order.amountIn), "");
        eq(status(order), IEscrow.Status.Open);
    }

    /// A permit has no terms: an observer cannot open another order with it.
    function test_Rule04_APermitAloneOpensNothing() public {
        Order memory order = crossOrder();
        give(order.amountIn);
        TokenPermit memory signed = permit(order.amountIn);
        Order memory theirs = crossOrder();
        theirs.recipient = _b(STRANGER);
        theirs.refundTo = _b(STRANGER);
        bytes[4] memory words =
            [bytes(""), consent(order, USER_KEY), consent(theirs, 7), authorization(theirs, USER_KEY)];
        for (uint256 i = 0; i < words.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IEscrow.NotTheUser.selector, user));
            permitted(STRANGER, theirs, signed, words[i]);
        }
        eq(usd.balanceOf(user), order.amountIn, "user");
    }

    function test_Rule04_APermitThatWasUsedBeforeDoesNotBlock() public {
        Order memory order = crossOrder();
        give(order.amountIn);
        TokenPermit memory signed = permit(order.amountIn);
        vm.prank(STRANGER);
        usd.permit(user, address(escrow), signed.value, signed.deadline, signed.v, signed.r, signed.s);
        permitted(STRANGER, order, signed, consent(order, USER_KEY));
        eq(status(order), IEscrow.Status.Open);
    }

    function test_Rule04_APermitThatIsMissingOrTooSmallOpensNothing() public {
        Order memory order = crossOrder();
        give(order.amountIn);
        bytes memory word = consent(order, USER_KEY);
        bytes memory problem =
            abi.encodeWithSelector(IEscrow.TransferFailed.selector, address(usd), address(escrow));
        TokenPermit memory none;
        vm.expectRevert(problem);
        permitted(STRANGER, order, none, word);
        TokenPermit memory small = permit(order.amountIn - 1);
        vm.expectRevert(problem);
        permitted(STRANGER, order, small, word);
        eq(status(order), IEscrow.Status.None);
    }

    function test_Rule04_ASignatureOpensOnce() public {
        Order memory order = crossOrder();
        fund(address(usd), user, address(escrow), order.amountIn * 2);
        TokenPermit memory none;
        bytes memory word = consent(order, USER_KEY);
        permitted(STRANGER, order, none, word);
        vm.expectRevert(abi.encodeWithSelector(IEscrow.AlreadyOpened.selector, order.id()));
        permitted(STRANGER, order, none, word);
    }

    function test_Rule10_AnAttestationForAnotherChainOrEscrowIsRejected() public {
        Order memory order = crossOrder();
        fund(address(usd), user, address(escrow), order.amountIn);
        TokenPermit memory none;
        bytes32[3] memory digests = [
            Signing.typed(Signing.domain("Causeway Escrow", "2", DESTINATION, address(escrow)), order.id()),
            Signing.typed(Signing.domain("Causeway Escrow", "2", ORIGIN, address(settler)), order.id()),
            Signing.typed(Signing.domain("Causeway Escrow", "1", ORIGIN, address(escrow)), order.id())
        ];
        for (uint256 i = 0; i < digests.length; ++i) {
            bytes memory word = Signing.one(USER_KEY, digests[i]);
            vm.expectRevert(abi.encodeWithSelector(IEscrow.NotTheUser.selector, user));
            permitted(STRANGER, order, none, word);
        }
    }

    function walletOrder(SigningWallet wallet) internal returns (Order memory order) {
        order = crossOrder();
        order.user = _b(address(wallet));
        fund(address(usd), address(wallet), address(escrow), order.amountIn);
    }

    function test_Rule04_AWalletContractSigns() public {
        SigningWallet wallet = new SigningWallet();
        Order memory order = walletOrder(wallet);
        TokenPermit memory none;
        wallet.set(SigningWallet.Behavior.OneDigest, orderDigest(order));
        Order memory other = walletOrder(wallet);
        other.recipient = _b(STRANGER);
        vm.expectRevert(abi.encodeWithSelector(IEscrow.NotTheUser.selector, address(wallet)));
        permitted(STRANGER, other, none, "word");
        permitted(STRANGER, order, none, "word");
        eq(status(order), IEscrow.Status.Open);
    }

    /// A wallet that rejects, burns gas or returns too much data costs its caller a bounded amount and opens nothing.
    function test_Rule25_AHostileWalletCostsABoundedAmount() public {
        SigningWallet wallet = new SigningWallet();
        Order memory order = walletOrder(wallet);
        TokenPermit memory none;
        SigningWallet.Behavior[3] memory behaviors =
            [SigningWallet.Behavior.No, SigningWallet.Behavior.BurnsGas, SigningWallet.Behavior.Floods];
        for (uint256 i = 0; i < behaviors.length; ++i) {
            wallet.set(behaviors[i], 0);
            vm.expectRevert(abi.encodeWithSelector(IEscrow.NotTheUser.selector, address(wallet)));
            vm.prank(STRANGER);
            uint256 before = gasleft();
            escrow.openWithPermit{gas: 20_000_000}(order, none, "word");
            require(before - gasleft() < 700_000, "gas");
        }
        eq(status(order), IEscrow.Status.None);
    }

    /// An account with code and a key (EIP-7702) opens with a signature of its key.
    function test_Rule04_AnAccountWithCodeSignsWithItsKey() public {
        Order memory order = crossOrder();
        fund(address(usd), user, address(escrow), order.amountIn);
        vm.etch(user, hex"ef01000000000000000000000000000000000000000005");
        TokenPermit memory none;
        permitted(STRANGER, order, none, consent(order, USER_KEY));
        eq(status(order), IEscrow.Status.Open);
    }

    function test_Rule04_ATokenWithAFeeOnTransferIsRefusedWithAPermit() public {
        Order memory order = crossOrder();
        order.inputToken = _b(address(taxed));
        fund(address(taxed), user, address(escrow), order.amountIn);
        TokenPermit memory none;
        bytes memory word = consent(order, USER_KEY);
        vm.expectRevert(
            abi.encodeWithSelector(
                IEscrow.WrongDelta.selector, order.amountIn - order.amountIn / 100, order.amountIn
            )
        );
        permitted(STRANGER, order, none, word);
    }
}
