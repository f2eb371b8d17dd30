// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order} from "../../src/Order.sol";
import {DepositAddress} from "../../src/deposit/DepositAddress.sol";
import {vm} from "../Vm.sol";
import {DepositFixture, NATIVE, REFUND} from "./DepositFixture.sol";

/// @notice Pays as old contracts do, with 2,300 gas.
contract Stingy {
    function pay(address payable to) external payable {
        to.transfer(msg.value);
    }
}

contract DepositAddressTest is DepositFixture {
    function deployed(Order memory order) internal returns (DepositAddress) {
        pay(address(dai), depositOf(order), 1);
        factory.giveBack(order, list(address(dai)));
        return DepositAddress(payable(depositOf(order)));
    }

    function test_Rule15_a_deployed_address_takes_a_payment_of_2300_gas() public {
        address payable spot = payable(address(deployed(someOrder(NATIVE, 1 ether))));
        require(spot.code.length != 0, "not deployed");
        new Stingy().pay{value: 1 ether}(spot);
        equal(spot.balance, 1 ether, "balance");
    }

    function test_Rule15_an_address_takes_payments_before_it_is_deployed() public {
        Order memory order = someOrder(NATIVE, 1 ether);
        address payable spot = payable(depositOf(order));
        require(spot.code.length == 0, "deployed");
        new Stingy().pay{value: 1 ether}(spot);
        factory.sweep(order);
        equal(address(escrow).balance, 1 ether, "escrow");
    }

    function test_Rule15_the_address_follows_from_factory_and_id_alone() public {
        Order memory order = someOrder(NATIVE, 1 ether);
        address computed = address(
            uint160(
                uint256(
                    keccak256(
                        abi.encodePacked(
                            bytes1(0xff),
                            address(factory),
                            order.id(),
                            keccak256(type(DepositAddress).creationCode)
                        )
                    )
                )
            )
        );
        require(factory.initCodeHash() == keccak256(type(DepositAddress).creationCode), "init code");
        require(depositOf(order) == computed, "computed");
        vm.chainId(137);
        require(depositOf(order) == computed, "on another chain");
        vm.chainId(1);
        require(address(deployed(order)) == computed && computed.code.length != 0, "deployed elsewhere");
    }

    function testFuzz_Rule15_it_obeys_its_factory_only(address caller) public {
        vm.assume(caller != address(factory));
        DepositAddress spot = deployed(someOrder(NATIVE, 1 ether));
        pay(NATIVE, address(spot), 1 ether);
        bytes memory order = abi.encode(REFUND, 1 ether);
        vm.prank(caller);
        (bool done, bytes memory answer) = address(spot).call(order);
        require(!done && REFUND.balance == 0, "obeyed");
        bytes memory refusal = abi.encodeWithSelector(DepositAddress.NotTheFactory.selector, caller);
        require(keccak256(answer) == keccak256(refusal), "reason");
        vm.prank(address(factory));
        (done,) = address(spot).call(order);
        require(done && REFUND.balance == 1 ether, "its factory");
    }

    /// Every order paid by transfer pays 200 gas for each byte.
    function test_Rule16_the_code_of_an_address_stays_small() public {
        require(address(deployed(someOrder(NATIVE, 1 ether))).code.length <= 160, "too large");
    }

    function test_Rule15_nothing_to_return_deploys_nothing() public {
        Order memory order = someOrder(address(usdc), 5);
        factory.giveBack(order, list(address(dai), NATIVE));
        require(depositOf(order).code.length == 0, "deployed");
        equal(REFUND.balance, 0, "balance");
    }
}
