// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {Order} from "../../src/Order.sol";
import {Vault} from "../../src/hub/Vault.sol";
import {ISettler} from "../../src/interfaces/ISettler.sol";
import {Fixture} from "../Fixture.sol";
import {vm} from "../Vm.sol";
import {DeviatingVault} from "../hostile/DeviatingVault.sol";

contract FillSharesTest is Fixture {
    Vault vault;

    function setUp() public override {
        super.setUp();
        vault = new Vault(IERC20Metadata(address(eur)));
        vm.chainId(DESTINATION);
    }

    function sharesOrder(address shares) internal view returns (Order memory order) {
        order = crossOrder();
        order.outputToken = _b(shares);
    }

    function fillShares(Order memory order, uint256 maxAssets) internal {
        bytes memory data = abi.encode(order);
        vm.prank(FILLER);
        settler.fill(order.id(), data, abi.encode(maxAssets));
    }

    function test_Rule05_SharesAreMintedToTheRecipient() public {
        Order memory order = sharesOrder(address(vault));
        uint256 needed = vault.previewMint(order.amountOut);
        fund(address(eur), FILLER, address(settler), needed + 100);
        fillShares(order, needed + 100);
        eq(vault.balanceOf(RECIPIENT), order.amountOut, "shares");
        eq(eur.balanceOf(FILLER), 100, "what is left goes back");
        eq(eur.balanceOf(address(settler)), 0, "settler");
        eq(eur.allowance(address(settler), address(vault)), 0, "allowance");
        eq(settler.filledAt(order.id()), START, "record");
    }

    function test_Rule05_SharesOverATokenThatReturnsNothingAreMinted() public {
        Vault other = new Vault(IERC20Metadata(address(tether)));
        Order memory order = sharesOrder(address(other));
        fund(address(tether), FILLER, address(settler), order.amountOut);
        // Twice, because this token lets an allowance change through zero only.
        fillShares(order, 1_000);
        order.nonce = "again";
        fillShares(order, 1_000);
        eq(other.balanceOf(RECIPIENT), 2 * order.amountOut, "shares");
        eq(tether.allowance(address(settler), address(other)), 0, "allowance");
    }

    function test_Rule05_SharesThatTheCallerHoldsAreSentDirectly() public {
        Order memory order = sharesOrder(address(vault));
        fund(address(eur), FILLER, address(vault), order.amountOut);
        vm.prank(FILLER);
        vault.mint(order.amountOut, FILLER);
        vm.prank(FILLER);
        vault.approve(address(settler), order.amountOut);
        bytes memory data = abi.encode(order);
        vm.prank(FILLER);
        settler.fill(order.id(), data, "");
        eq(vault.balanceOf(RECIPIENT), order.amountOut, "shares");
    }

    function test_Rule05_MoreAssetsThanTheCallerAllowsAreNeverTaken() public {
        Order memory order = sharesOrder(address(vault));
        order.amountOut = 900e12;
        uint256 needed = vault.previewMint(order.amountOut);
        fund(address(eur), FILLER, address(settler), needed * 2);
        vm.expectRevert();
        fillShares(order, needed - 1);
        eq(eur.balanceOf(FILLER), needed * 2, "caller");
        fillShares(order, needed);
        eq(eur.balanceOf(FILLER), needed, "caller");
    }

    function test_Rule05_AVaultThatMintsTooLittleIsRefused() public {
        DeviatingVault odd = new DeviatingVault(address(eur));
        Order memory order = sharesOrder(address(odd));
        fund(address(eur), FILLER, address(settler), 1_000);
        odd.set(1_000, order.amountOut - 1);
        vm.expectRevert(
            abi.encodeWithSelector(ISettler.DeliveredTooLittle.selector, order.amountOut - 1, order.amountOut)
        );
        fillShares(order, 1_000);
    }

    function test_Rule05_NoAllowanceOutlivesTheFill() public {
        DeviatingVault odd = new DeviatingVault(address(eur));
        Order memory order = sharesOrder(address(odd));
        fund(address(eur), FILLER, address(settler), 1_000);
        odd.set(0, order.amountOut);
        fillShares(order, 1_000);
        eq(eur.balanceOf(FILLER), 1_000, "all of it came back");
        fund(address(eur), address(settler), address(1), 1_000);
        vm.expectRevert(abi.encodeWithSignature("Error(string)", "ERC20: insufficient allowance"));
        odd.takeMore(address(settler), 1_000);
    }

    function test_Rule05_AssetsThatCannotBeTakenFillNothing() public {
        Order memory order = sharesOrder(address(vault));
        fund(address(eur), FILLER, address(settler), 999);
        vm.expectRevert(
            abi.encodeWithSelector(ISettler.TransferFailed.selector, address(eur), address(settler))
        );
        fillShares(order, 1_000);
    }

    function test_Rule05_FillerDataHasOneShape() public {
        Order memory order = sharesOrder(address(vault));
        bytes memory data = abi.encode(order);
        vm.expectRevert(abi.encodeWithSelector(ISettler.BadFillerData.selector));
        settler.fill(order.id(), data, hex"01");
        vm.expectRevert(abi.encodeWithSelector(ISettler.BadFillerData.selector));
        settler.fill(order.id(), data, abi.encode(1, 2));

        order.outputToken = 0;
        vm.deal(address(this), order.amountOut);
        data = abi.encode(order);
        vm.expectRevert(abi.encodeWithSelector(ISettler.BadFillerData.selector));
        settler.fill{value: order.amountOut}(order.id(), data, abi.encode(1));
    }

    function testFuzz_Rule05_TheSettlerKeepsNothing(uint256 shares, uint256 surplus, uint256 gift) public {
        Order memory order = sharesOrder(address(vault));
        order.amountOut = within(shares, 1, 1e30);
        surplus = within(surplus, 0, 1e30);
        gift = within(gift, 0, 1e30);
        uint256 needed = vault.previewMint(order.amountOut);
        fund(address(eur), FILLER, address(settler), needed + surplus);
        fund(address(eur), address(settler), address(1), gift);
        fillShares(order, needed + surplus);
        eq(vault.balanceOf(RECIPIENT), order.amountOut, "shares");
        eq(eur.balanceOf(FILLER), surplus + gift, "caller");
        eq(eur.balanceOf(address(settler)), 0, "settler");
        eq(eur.allowance(address(settler), address(vault)), 0, "allowance");
    }
}
