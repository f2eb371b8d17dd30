// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Rules} from "./Rules.sol";

/// The money rules over random sequences of calls by many people: see `Handler` for what they do,
/// `Book` for what must come of it and `Rules` for what is checked.
contract MoneyTest {
    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    Rules handler;

    function setUp() public {
        handler = new Rules();
    }

    function targetContracts() external view returns (address[] memory list) {
        list = new address[](1);
        list[0] = address(handler);
    }

    /// What happens often is named more than once.
    function targetSelectors() external view returns (FuzzSelector[] memory list) {
        bytes4[] memory selectors = new bytes4[](18);
        selectors[0] = handler.open.selector;
        selectors[1] = handler.open.selector;
        selectors[2] = handler.open.selector;
        selectors[3] = handler.fill.selector;
        selectors[4] = handler.fill.selector;
        selectors[5] = handler.claim.selector;
        selectors[6] = handler.claim.selector;
        selectors[7] = handler.refund.selector;
        selectors[8] = handler.refundUnfilled.selector;
        selectors[9] = handler.refundTo.selector;
        selectors[10] = handler.tamper.selector;
        selectors[11] = handler.gift.selector;
        selectors[12] = handler.pass.selector;
        selectors[13] = handler.pass.selector;
        selectors[14] = handler.pause.selector;
        selectors[15] = handler.handOver.selector;
        selectors[16] = handler.claimBatch.selector;
        selectors[17] = handler.claimBatch.selector;
        list = new FuzzSelector[](1);
        list[0] = FuzzSelector(address(handler), selectors);
    }

    function invariant_TheMoneyRulesHold() public view {
        handler.check();
    }

    function afterInvariant() external {
        handler.checkEnd();
    }
}
