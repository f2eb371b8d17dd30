// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order} from "../../src/Order.sol";
import {IEscrow} from "../../src/interfaces/IEscrow.sol";
import {ISettler} from "../../src/interfaces/ISettler.sol";
import {Fixture} from "../Fixture.sol";
import {vm} from "../Vm.sol";
import {Eater, GasBurner, GasMeter} from "../hostile/Wallets.sol";

/// Whoever is paid in native currency gets at most 100,000 gas along with it, so nobody can make a payer's transaction expensive.
contract ForwardingTest is Fixture {
    uint256 constant PLENTY = 20_000_000;

    function nativeOrder(address payee, address refundTo, address referrer)
        internal
        view
        returns (Order memory order)
    {
        order = referredOrder();
        order.inputToken = 0;
        order.payee = _b(payee);
        order.refundTo = _b(refundTo);
        order.referrer = _b(referrer);
    }

    function within100k(GasMeter meter) internal view {
        require(meter.given() > 95_000 && meter.given() <= 100_000, "gas");
    }

    function test_Rule25_TheRecipientOfAFillGetsAtMost100000Gas() public {
        GasMeter meter = new GasMeter();
        Order memory order = crossOrder();
        order.outputToken = 0;
        order.recipient = _b(address(meter));
        fill(order);
        within100k(meter);
    }

    function test_Rule25_PayeeAndRefundAddressGetAtMost100000Gas() public {
        GasMeter meter = new GasMeter();
        Order memory order = nativeOrder(address(meter), REFUND, REFERRER);
        open(order);
        claim(order);
        within100k(meter);
        meter = new GasMeter();
        order = nativeOrder(PAYEE, address(meter), REFERRER);
        open(order);
        vm.prank(FILLER);
        escrow.refund(order);
        within100k(meter);
    }

    function test_Rule25_TheReferrerGetsAtMost50000Gas() public {
        GasMeter meter = new GasMeter();
        Order memory order = nativeOrder(PAYEE, REFUND, address(meter));
        open(order);
        claim(order);
        require(meter.given() > 45_000 && meter.given() <= 50_000, "gas");
    }

    function test_Rule25_AWalletThatNeeds90000GasIsPaid() public {
        address wallet = address(new Eater(90_000));
        Order memory order = nativeOrder(wallet, REFUND, REFERRER);
        open(order);
        claim(order);
        eq(wallet.balance, order.amountIn - order.referrerFee, "payee");
    }

    function costOfFill(address recipient) internal returns (uint256 spent) {
        Order memory order = crossOrder();
        order.outputToken = 0;
        order.recipient = _b(recipient);
        vm.deal(FILLER, order.amountOut);
        bytes memory data = abi.encode(order);
        bytes32 id = order.id();
        vm.chainId(DESTINATION);
        vm.prank(FILLER);
        uint256 before = gasleft();
        try settler.fill{value: order.amountOut, gas: PLENTY}(id, data, "") {} catch {}
        spent = before - gasleft();
        vm.chainId(ORIGIN);
    }

    /// The drill that cost a filler fourteen million.
    function test_Rule25_ARecipientThatBurnsCostsTheFillerNoMoreThanThat() public {
        require(costOfFill(address(new GasBurner())) < 170_000, "burner");
        require(costOfFill(address(new Eater(13_000_000))) < 170_000, "eater");
    }

    function test_Rule25_APayeeOrRefundAddressThatBurnsCostsNoMoreThanThat() public {
        address burner = address(new GasBurner());
        Order memory order = nativeOrder(burner, burner, burner);
        open(order);
        bytes[] memory signatures = attestFilled(order, START, 2);
        uint256 before = gasleft();
        try escrow.claim{gas: PLENTY}(order, START, keccak256("fill"), signatures) {} catch {}
        require(before - gasleft() < 260_000, "claim");
        vm.prank(FILLER);
        before = gasleft();
        try escrow.refund{gas: PLENTY}(order) {} catch {}
        require(before - gasleft() < 170_000, "refund");
        eq(status(order), IEscrow.Status.Open);
    }

    /// However little gas the caller of a fill brings, the recipient is paid or nothing happens.
    function testFuzz_Rule25_NobodyStarvesARecipient(uint256 gasLimit) public {
        gasLimit = within(gasLimit, 40_000, 300_000);
        address wallet = address(new Eater(80_000));
        Order memory order = crossOrder();
        order.outputToken = 0;
        order.recipient = _b(wallet);
        vm.deal(FILLER, order.amountOut);
        bytes memory data = abi.encode(order);
        bytes32 id = order.id();
        vm.chainId(DESTINATION);
        vm.prank(FILLER);
        try settler.fill{value: order.amountOut, gas: gasLimit}(id, data, "") {
            eq(wallet.balance, order.amountOut, "recipient");
        } catch {
            eq(ISettler(settler).filledAt(id), 0, "filled");
            eq(FILLER.balance, order.amountOut, "filler");
        }
    }
}
