// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../../src/Escrow.sol";
import {Order, OrderLib} from "../../src/Order.sol";
import {Settler} from "../../src/Settler.sol";
import {DepositFactory} from "../../src/deposit/DepositFactory.sol";
import {PlayToken} from "../../src/sandbox/PlayToken.sol";
import {QuirkyToken} from "../../src/sandbox/QuirkyToken.sol";
import {TaxedToken} from "../../src/sandbox/TaxedToken.sol";
import {vm} from "../Vm.sol";
import {FAUCET, Genesis} from "../sandbox/Genesis.sol";

address constant NATIVE = address(0);
address constant USER = address(0x05E2);
address constant REFUND = address(0x2EF0D);
address constant FILLER = address(0xF177);
address constant PAYEE = address(0x9A7EE);
address constant RECIPIENT = address(0x2EC1);
address constant EXCHANGE = address(0xE8C4);
uint256 constant ORIGIN = 1;
uint256 constant DESTINATION = 8453;
uint256 constant START = 1_790_000_000;

/// @notice The real contracts on one chain, and tokens of every kind.
abstract contract DepositFixture {
    DepositFactory factory;
    Settler settler;
    Escrow escrow;

    PlayToken usdc = PlayToken(address(0x05DC));
    PlayToken dai = PlayToken(address(0xDA1));
    QuirkyToken usdt = QuirkyToken(address(0x05D7));
    TaxedToken taxed = TaxedToken(address(0x7A8ED));

    function setUp() public virtual {
        vm.chainId(ORIGIN);
        vm.warp(START);
        Genesis.place(address(usdc), type(PlayToken).runtimeCode, "USD Coin", "USDC", 6);
        Genesis.place(address(dai), type(PlayToken).runtimeCode, "Dai", "DAI", 18);
        Genesis.place(address(usdt), type(QuirkyToken).runtimeCode, "Tether USD", "USDT", 6);
        Genesis.place(address(taxed), type(TaxedToken).runtimeCode, "Taxed", "TAX", 18);
        vm.store(address(taxed), bytes32(uint256(7)), bytes32(uint256(100)));

        address[] memory attesters = new address[](1);
        attesters[0] = vm.addr(0xA77E57);
        factory = new DepositFactory();
        settler = new Settler();
        escrow = new Escrow(
            attesters,
            1,
            address(settler),
            address(factory),
            factory.initCodeHash(),
            address(0xBE2417),
            2 hours
        );
    }

    function someOrder(address token, uint256 amountIn) internal view returns (Order memory order) {
        order.version = 2;
        order.originChainId = ORIGIN;
        order.escrow = word(address(escrow));
        order.user = word(USER);
        order.nonce = keccak256("nonce");
        order.inputToken = word(token);
        order.amountIn = amountIn;
        order.refundTo = word(REFUND);
        order.filler = word(FILLER);
        order.payee = word(PAYEE);
        order.destinationChainId = DESTINATION;
        order.settler = word(address(settler));
        order.outputToken = word(address(0xD0));
        order.amountOut = 99;
        order.recipient = word(RECIPIENT);
        order.openDeadline = START + 10 minutes;
        order.fillDeadline = START + 25 minutes;
        order.refundAt = START + 25 minutes + 6 hours;
        order.epoch = 1;
    }

    /// @dev Pays as an exchange would: a plain transfer from an address of its own.
    function pay(address token, address to, uint256 amount) internal {
        if (token == NATIVE) {
            vm.deal(EXCHANGE, EXCHANGE.balance + amount);
            vm.prank(EXCHANGE);
            (bool sent,) = to.call{value: amount}("");
            require(sent, "payment refused");
        } else {
            vm.prank(FAUCET);
            PlayToken(token).mint(to, amount);
        }
    }

    function depositOf(Order memory order) internal view returns (address) {
        return factory.addressOf(order.id());
    }

    function held(address token, address holder) internal view returns (uint256) {
        return token == NATIVE ? holder.balance : PlayToken(token).balanceOf(holder);
    }

    function word(address value) internal pure returns (bytes32) {
        return OrderLib.toBytes32(value);
    }

    function list(address a) internal pure returns (address[] memory tokens) {
        tokens = new address[](1);
        tokens[0] = a;
    }

    function list(address a, address b) internal pure returns (address[] memory tokens) {
        tokens = new address[](2);
        (tokens[0], tokens[1]) = (a, b);
    }

    function list(address a, address b, address c) internal pure returns (address[] memory tokens) {
        tokens = new address[](3);
        (tokens[0], tokens[1], tokens[2]) = (a, b, c);
    }

    function equal(uint256 left, uint256 right, string memory what) internal pure {
        require(left == right, what);
    }

    function within(uint256 value, uint256 least, uint256 most) internal pure returns (uint256) {
        return most - least == type(uint256).max ? value : least + value % (most - least + 1);
    }
}
