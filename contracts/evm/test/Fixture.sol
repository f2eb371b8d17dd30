// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {Order, OrderLib} from "../src/Order.sol";
import {Settler} from "../src/Settler.sol";
import {DepositFactory} from "../src/deposit/DepositFactory.sol";
import {IAttesterRegistry} from "../src/interfaces/IAttesterRegistry.sol";
import {GaslessCrossChainOrder, OnchainCrossChainOrder} from "../src/interfaces/IERC7683.sol";
import {IEscrow} from "../src/interfaces/IEscrow.sol";
import {MintableToken} from "../src/sandbox/MintableToken.sol";
import {PlayToken} from "../src/sandbox/PlayToken.sol";
import {QuirkyToken} from "../src/sandbox/QuirkyToken.sol";
import {TaxedToken} from "../src/sandbox/TaxedToken.sol";
import {Signing} from "./Signing.sol";
import {vm} from "./Vm.sol";
import {FAUCET, Genesis} from "./sandbox/Genesis.sol";

/// @notice The contracts as they are deployed, three attesters of whom two must agree, tokens, and an order between two chains. Both chains
/// are played by one machine that changes its chain id.
abstract contract Fixture {
    uint256 internal constant ORIGIN = 8453;
    uint256 internal constant DESTINATION = 42161;
    uint256 internal constant START = 1_800_000_000;
    uint256 internal constant GRACE = 2 hours;

    uint256 internal constant USER_KEY = 0xA11CE;
    address internal constant FILLER = address(0xF111E2);
    address internal constant PAYEE = address(0x9A1EE);
    address internal constant REFERRER = address(0x2EFE22E2);
    address internal constant REFUND = address(0x2EF0ED);
    address internal constant RECIPIENT = address(0x2EC1B1E7);
    address internal constant STRANGER = address(0x57A46E2);
    address internal constant NATIVE = address(0);

    address internal user = vm.addr(USER_KEY);
    /// Keys of the attesters, ascending by address.
    uint256[] internal keys;

    /// The escrow's other face.
    IAttesterRegistry internal registry;
    Settler internal settler;
    DepositFactory internal factory;
    bytes32 internal initCodeHash;
    address internal permit2;
    Escrow internal escrow;

    PlayToken internal usd = PlayToken(address(0x05D));
    PlayToken internal eur = PlayToken(address(0xE02));
    QuirkyToken internal tether = QuirkyToken(address(0x7E78E2));
    TaxedToken internal taxed = TaxedToken(address(0x7A8ED));

    function setUp() public virtual {
        vm.chainId(ORIGIN);
        vm.warp(START);
        keys = Signing.sorted(3, "attester");
        settler = new Settler();
        factory = new DepositFactory();
        initCodeHash = factory.initCodeHash();
        permit2 = _deploy(vm.parseJsonBytes(vm.readFile("artifacts/Permit2.json"), ".bytecode"));
        escrow = newEscrow();
        registry = escrow;
        Genesis.place(address(usd), type(PlayToken).runtimeCode, "US Dollar", "USD", 6);
        Genesis.place(address(eur), type(PlayToken).runtimeCode, "Euro", "EUR", 6);
        Genesis.place(address(tether), type(QuirkyToken).runtimeCode, "Tether", "USDT", 6);
        Genesis.place(address(taxed), type(TaxedToken).runtimeCode, "Taxed", "TAX", 18);
        vm.store(address(taxed), bytes32(uint256(7)), bytes32(uint256(100)));
    }

    function newEscrow() internal returns (Escrow) {
        return newEscrow(Signing.addresses(keys), 2);
    }

    function newEscrow(address[] memory attesters, uint256 threshold) internal returns (Escrow) {
        return
            new Escrow(attesters, threshold, address(settler), address(factory), initCodeHash, permit2, GRACE);
    }

    /// @notice An order from chain to chain: a thousand USD in, nine hundred EUR out.
    function crossOrder() internal view returns (Order memory order) {
        order.version = 2;
        order.originChainId = ORIGIN;
        order.escrow = _b(address(escrow));
        order.user = _b(user);
        order.nonce = keccak256("nonce");
        order.inputToken = _b(address(usd));
        order.amountIn = 1_000e6;
        order.refundTo = _b(REFUND);
        order.filler = _b(FILLER);
        order.payee = _b(PAYEE);
        order.destinationChainId = DESTINATION;
        order.settler = _b(address(settler));
        order.outputToken = _b(address(eur));
        order.amountOut = 900e6;
        order.recipient = _b(RECIPIENT);
        order.openDeadline = START + 10 minutes;
        order.fillDeadline = START + 30 minutes;
        order.refundAt = START + 30 minutes + 6 hours;
        order.epoch = 1;
    }

    /// @notice The same with a referrer who gets ten.
    function referredOrder() internal view returns (Order memory order) {
        order = crossOrder();
        order.referrer = _b(REFERRER);
        order.referrerFee = 10e6;
    }

    /// @notice The same within one chain.
    function localOrder() internal view returns (Order memory order) {
        order = crossOrder();
        order.destinationChainId = ORIGIN;
    }

    function envelope(Order memory order) internal pure returns (OnchainCrossChainOrder memory) {
        return OnchainCrossChainOrder(uint32(order.fillDeadline), OrderLib.TYPEHASH, abi.encode(order));
    }

    function gasless(Order memory order) internal pure returns (GaslessCrossChainOrder memory) {
        return GaslessCrossChainOrder({
            originSettler: _a(order.escrow),
            user: _a(order.user),
            nonce: uint256(order.nonce),
            originChainId: order.originChainId,
            openDeadline: uint32(order.openDeadline),
            fillDeadline: uint32(order.fillDeadline),
            orderDataType: OrderLib.TYPEHASH,
            orderData: abi.encode(order)
        });
    }

    /// @notice Funds `who` and approves `spender`.
    function fund(address token, address who, address spender, uint256 amount) internal {
        if (token == NATIVE) return vm.deal(who, who.balance + amount);
        vm.prank(FAUCET);
        MintableToken(token).mint(who, amount);
        vm.prank(who);
        QuirkyToken(token).approve(spender, amount);
    }

    /// @notice Funds the user and opens the order in the user's name.
    function open(Order memory order) internal {
        address token = _a(order.inputToken);
        fund(token, _a(order.user), address(escrow), order.amountIn);
        openAs(_a(order.user), order);
    }

    function openAs(address caller, Order memory order) internal {
        uint256 value = order.inputToken == 0 ? order.amountIn : 0;
        vm.prank(caller);
        escrow.open{value: value}(envelope(order));
    }

    /// @notice The user has the money and the escrow refuses it all the same.
    function openRefused(Order memory order, bytes memory problem) internal {
        fund(address(uint160(uint256(order.inputToken))), user, address(escrow), order.amountIn);
        vm.expectRevert(problem);
        openAs(user, order);
        eq(status(order), IEscrow.Status.None);
    }

    /// @notice Funds the filler and fills the order on its destination, then returns to the origin.
    function fill(Order memory order) internal {
        fund(_a(order.outputToken), FILLER, address(settler), order.amountOut);
        vm.chainId(order.destinationChainId);
        vm.prank(FILLER);
        settler.fill{value: order.outputToken == 0 ? order.amountOut : 0}(order.id(), abi.encode(order), "");
        vm.chainId(ORIGIN);
    }

    /// @notice Signatures of the first `count` attesters over the fill.
    function attestFilled(Order memory order, uint256 filledAt, uint256 count)
        internal
        view
        returns (bytes[] memory)
    {
        return Signing.all(
            Signing.first(keys, count),
            Signing.filled(ORIGIN, address(escrow), order.id(), filledAt, keccak256("fill"))
        );
    }

    function attestUnfilled(Order memory order, uint256 time, uint256 count)
        internal
        view
        returns (bytes[] memory)
    {
        return Signing.all(
            Signing.first(keys, count), Signing.unfilled(ORIGIN, address(escrow), order.id(), time)
        );
    }

    /// @notice Claims with two attestations of a fill at the fill deadline.
    function claim(Order memory order) internal {
        escrow.claim(order, order.fillDeadline, keccak256("fill"), attestFilled(order, order.fillDeadline, 2));
    }

    /// @notice The orders as a batch: all terms of the first, of each other those that differ from the one before.
    function batch(Order[] memory orders, uint256[] memory times)
        internal
        pure
        returns (bytes32[] memory entries)
    {
        entries = new bytes32[](orders.length * 23);
        uint256 length = 0;
        Order memory last;
        for (uint256 i = 0; i < orders.length; ++i) {
            uint256 head = length;
            entries[head + 1] = keccak256("fill");
            length += 2;
            uint256 runs = 0;
            uint256 shift = 0;
            uint256 open_ = 0;
            for (uint256 k = 0; k < 21; ++k) {
                if (wordOf(last, k) == wordOf(orders[i], k)) {
                    open_ = 0;
                    continue;
                }
                // Refund address and recipient may be the user.
                if ((k == 7 || k == 16) && wordOf(orders[i], k) == orders[i].user) {
                    (open_, shift) = (0, shift + 16);
                    runs |= (k << 8 | 128 | 3) << (shift - 16);
                    continue;
                }
                entries[length++] = wordOf(orders[i], k);
                if (open_ == 0) {
                    (open_, shift) = (1, shift + 16);
                    runs |= (k << 8) << (shift - 16);
                }
                runs += 1 << (shift - 16);
            }
            entries[head] = bytes32(runs << 64 | times[i]);
            last = orders[i];
        }
        assembly ("memory-safe") {
            mstore(entries, length)
        }
    }

    function wordOf(Order memory order, uint256 index) internal pure returns (bytes32 word) {
        assembly ("memory-safe") {
            word := mload(add(order, mul(32, index)))
        }
    }

    /// @notice Signatures of the first `count` attesters over all fills of a batch.
    function attestBatch(Order[] memory orders, uint256[] memory times, uint256 count)
        internal
        view
        returns (bytes[] memory)
    {
        bytes32[] memory ids = new bytes32[](orders.length);
        for (uint256 i = 0; i < orders.length; ++i) {
            ids[i] = orders[i].id();
        }
        return Signing.all(
            Signing.first(keys, count),
            Signing.filledBatch(ORIGIN, address(escrow), ids, times, keccak256("fill"))
        );
    }

    function status(Order memory order) internal view returns (IEscrow.Status) {
        return escrow.status(order.id());
    }

    function balance(address token, address who) internal view returns (uint256) {
        return token == NATIVE ? who.balance : PlayToken(token).balanceOf(who);
    }

    function eq(uint256 got, uint256 wanted, string memory what) internal pure {
        require(got == wanted, what);
    }

    function eq(IEscrow.Status got, IEscrow.Status wanted) internal pure {
        require(got == wanted, "status");
    }

    function notOpen(Order memory order, IEscrow.Status now_) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(IEscrow.NotOpen.selector, order.id(), now_);
    }

    /// @notice Brings a fuzzed number into a range.
    function within(uint256 value, uint256 least, uint256 most) internal pure returns (uint256) {
        return least + value % (most - least + 1);
    }

    function _deploy(bytes memory code) internal returns (address made) {
        assembly ("memory-safe") {
            made := create(0, add(code, 32), mload(code))
        }
        require(made != address(0), "not deployed");
    }

    function _b(address value) internal pure returns (bytes32) {
        return OrderLib.toBytes32(value);
    }

    function _a(bytes32 value) internal pure returns (address) {
        return OrderLib.toAddress(value);
    }
}
