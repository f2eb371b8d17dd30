// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {Order, OrderLib} from "../src/Order.sol";
import {Vault} from "../src/hub/Vault.sol";
import {TokenPermit} from "../src/interfaces/IEscrow.sol";
import {IPermit2} from "../src/interfaces/IPermit2.sol";
import {Fixture} from "./Fixture.sol";
import {Signing} from "./Signing.sol";
import {vm} from "./Vm.sol";

interface Permit2Domain {
    function DOMAIN_SEPARATOR() external view returns (bytes32);
}

/// What each call costs as a transaction of its own, with its base fee and its data. Escrow, payee and refund address have held the
/// currency before, as they do in service; the recipient of a fill has not. Written to `snapshots/settlement.json`, compared by
/// `npm run check`.
/// forge-config: default.isolate = true
contract GasTest is Fixture {
    bytes32 constant REF = keccak256("fill");

    function setUp() public override {
        super.setUp();
        address[5] memory used = [address(escrow), PAYEE, REFUND, REFERRER, FILLER];
        for (uint256 i = 0; i < used.length; ++i) {
            fund(NATIVE, used[i], address(1), 1);
            fund(address(usd), used[i], address(1), 1);
        }
        // What others have in the escrow.
        Order memory other = crossOrder();
        other.nonce = "other";
        open(other);
    }

    function measured(string memory name) internal {
        vm.snapshotGasLastCall("settlement", name);
    }

    function nativeOrder() internal view returns (Order memory order) {
        order = crossOrder();
        order.inputToken = 0;
    }

    function permitDigest(Order memory order, address spender) internal view returns (bytes32) {
        return Signing.permit(
            Permit2Domain(permit2).DOMAIN_SEPARATOR(),
            address(usd),
            order.amountIn,
            spender,
            uint256(order.nonce),
            order.openDeadline,
            order.id(),
            OrderLib.TYPE
        );
    }

    function test_gas_open_native() public {
        open(nativeOrder());
        measured("open, native");
    }

    function test_gas_open_erc20() public {
        open(crossOrder());
        measured("open, ERC-20");
    }

    function test_gas_open_permit2() public {
        Order memory order = crossOrder();
        fund(address(usd), user, permit2, type(uint256).max / 2);
        bytes memory signature = Signing.one(USER_KEY, permitDigest(order, address(escrow)));
        vm.prank(STRANGER);
        escrow.openFor(gasless(order), signature, "");
        measured("openFor, Permit2");
    }

    function test_gas_open_authorization() public {
        Order memory order = crossOrder();
        fund(address(usd), user, address(1), order.amountIn);
        bytes memory signature = Signing.one(
            USER_KEY,
            Signing.authorization(
                usd.DOMAIN_SEPARATOR(),
                user,
                address(escrow),
                order.amountIn,
                order.openDeadline + 1,
                order.id()
            )
        );
        vm.prank(STRANGER);
        escrow.openWithAuthorization(order, signature);
        measured("openWithAuthorization, EIP-3009");
    }

    function test_gas_open_permit() public {
        Order memory order = crossOrder();
        fund(address(usd), user, address(1), order.amountIn);
        bytes32 digest = Signing.tokenPermit(
            usd.DOMAIN_SEPARATOR(), user, address(escrow), order.amountIn, 0, order.openDeadline
        );
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(USER_KEY, digest);
        bytes32 word =
            Signing.typed(Signing.domain("Causeway Escrow", "2", ORIGIN, address(escrow)), order.id());
        bytes memory signature = Signing.one(USER_KEY, word);
        vm.prank(STRANGER);
        escrow.openWithPermit(order, TokenPermit(order.amountIn, order.openDeadline, v, r, s), signature);
        measured("openWithPermit, EIP-2612");
    }

    /// The share of Permit2: the same transfer with the same witness, submitted by its spender.
    function test_gas_permit2_alone() public {
        Order memory order = crossOrder();
        fund(address(usd), user, permit2, type(uint256).max / 2);
        bytes memory signature = Signing.one(USER_KEY, permitDigest(order, STRANGER));
        IPermit2.PermitTransferFrom memory permit = IPermit2.PermitTransferFrom(
            IPermit2.TokenPermissions(address(usd), order.amountIn), uint256(order.nonce), order.openDeadline
        );
        IPermit2.SignatureTransferDetails memory details =
            IPermit2.SignatureTransferDetails(PAYEE, order.amountIn);
        string memory kind = string.concat(
            "CausewayOrder witness)", OrderLib.TYPE, "TokenPermissions(address token,uint256 amount)"
        );
        vm.prank(STRANGER);
        IPermit2(permit2).permitWitnessTransferFrom(permit, details, user, order.id(), kind, signature);
        measured("permitWitnessTransferFrom alone");
    }

    function filled(Order memory order, string memory name) internal {
        fund(_a(order.outputToken), FILLER, address(settler), order.amountOut);
        bytes memory data = abi.encode(order);
        vm.chainId(DESTINATION);
        vm.prank(FILLER);
        settler.fill{value: order.outputToken == 0 ? order.amountOut : 0}(order.id(), data, "");
        measured(name);
    }

    function test_gas_fill_native() public {
        Order memory order = crossOrder();
        order.outputToken = 0;
        filled(order, "fill, native");
    }

    function test_gas_fill_erc20() public {
        filled(crossOrder(), "fill, ERC-20");
    }

    /// Most recipients have held the currency before.
    function test_gas_fill_known_recipient() public {
        fund(NATIVE, RECIPIENT, address(1), 1);
        fund(address(eur), RECIPIENT, address(1), 1);
        Order memory order = crossOrder();
        filled(order, "fill, ERC-20, recipient holds some");
        order.outputToken = 0;
        filled(order, "fill, native, recipient exists");
    }

    function test_gas_fill_shares() public {
        Vault vault = new Vault(IERC20Metadata(address(eur)));
        Order memory order = crossOrder();
        order.outputToken = _b(address(vault));
        fund(address(eur), FILLER, address(settler), 10_000);
        bytes memory data = abi.encode(order);
        vm.chainId(DESTINATION);
        vm.prank(FILLER);
        settler.fill(order.id(), data, abi.encode(1_000));
        measured("fill, ERC-4626 shares");
    }

    function claimed(Order memory order, string memory name) internal {
        open(order);
        bytes[] memory signatures = attestFilled(order, START, 2);
        vm.prank(FILLER);
        escrow.claim(order, START, REF, signatures);
        measured(name);
    }

    function test_gas_claim_native() public {
        claimed(nativeOrder(), "claim, native, 2 signatures");
    }

    function test_gas_claim_erc20() public {
        claimed(crossOrder(), "claim, ERC-20, 2 signatures");
    }

    function test_gas_claim_erc20_referrer() public {
        claimed(referredOrder(), "claim, ERC-20, 2 signatures, referrer");
    }

    function test_gas_claim_native_referrer() public {
        Order memory order = referredOrder();
        order.inputToken = 0;
        claimed(order, "claim, native, 2 signatures, referrer");
    }

    function test_gas_claim_same_chain() public {
        Order memory order = localOrder();
        open(order);
        fill(order);
        vm.prank(FILLER);
        escrow.claim(order, 0, 0, new bytes[](0));
        measured("claim, ERC-20, same chain");
    }

    /// One payee and token, as a filler's orders are; users, recipients, amounts and times differ, and addresses have no zeros.
    function claimedBatch(uint256 count, address token, string memory name) internal {
        Order[] memory orders = new Order[](count);
        uint256[] memory times = new uint256[](count);
        for (uint256 i = 0; i < count; ++i) {
            Order memory order = crossOrder();
            order.inputToken = _b(token);
            order.user = _b(vm.addr(uint256(keccak256(abi.encode("user", i)))));
            order.nonce = keccak256(abi.encode("nonce", i));
            order.amountIn += 123_456 * i;
            order.refundTo = order.user;
            order.amountOut += 234_567 * i;
            order.recipient = _b(vm.addr(uint256(keccak256(abi.encode("recipient", i)))));
            order.openDeadline += i;
            order.fillDeadline += i;
            order.refundAt += i;
            times[i] = START + 7 * i;
            orders[i] = order;
            open(order);
        }
        bytes[] memory signatures = attestBatch(orders, times, 2);
        bytes32[] memory entries = batch(orders, times);
        vm.prank(FILLER);
        escrow.claimBatch(count, entries, signatures);
        measured(name);
    }

    function test_gas_claim_batch() public {
        claimedBatch(20, address(usd), "claimBatch, 20 orders, ERC-20, 2 signatures");
    }

    function test_gas_claim_batch_native() public {
        claimedBatch(20, NATIVE, "claimBatch, 20 orders, native, 2 signatures");
    }

    function test_gas_claim_batch_of_five() public {
        claimedBatch(5, address(usd), "claimBatch, 5 orders, ERC-20, 2 signatures");
    }

    function refunded(Order memory order, string memory name) internal {
        open(order);
        vm.warp(order.refundAt + 1);
        vm.prank(STRANGER);
        escrow.refund(order);
        measured(name);
    }

    function test_gas_refund_native() public {
        refunded(nativeOrder(), "refund, native");
    }

    function test_gas_refund_erc20() public {
        refunded(crossOrder(), "refund, ERC-20");
    }

    function test_gas_refund_unfilled_erc20() public {
        Order memory order = crossOrder();
        open(order);
        uint256 time = order.fillDeadline + 1;
        bytes[] memory signatures = attestUnfilled(order, time, 2);
        vm.prank(STRANGER);
        escrow.refundUnfilled(order, time, signatures);
        measured("refund unfilled, ERC-20, 2 signatures");
    }
}
