// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {Vault} from "../../src/hub/Vault.sol";
import {VaultFactory} from "../../src/hub/VaultFactory.sol";
import {PlayToken} from "../../src/sandbox/PlayToken.sol";
import {QuirkyToken} from "../../src/sandbox/QuirkyToken.sol";
import {WrappedNative} from "../../src/sandbox/WrappedNative.sol";
import {vm} from "../Vm.sol";
import {ALICE, BOB, FAUCET, Genesis} from "../sandbox/Genesis.sol";

contract VaultTest {
    PlayToken usdc = PlayToken(address(0x05DC));
    WrappedNative weth = WrappedNative(payable(address(0x3E74)));
    VaultFactory factory = new VaultFactory();
    Vault vault;

    function setUp() public {
        Genesis.place(address(usdc), type(PlayToken).runtimeCode, "USD Coin", "USDC", 6);
        Genesis.place(address(weth), type(WrappedNative).runtimeCode, "Wrapped Ether", "WETH", 18);
        vault = Vault(factory.create(IERC20Metadata(address(usdc))));
    }

    function deposit(address who, uint256 assets) internal returns (uint256 shares) {
        vm.prank(FAUCET);
        usdc.mint(who, assets);
        vm.prank(who);
        usdc.approve(address(vault), assets);
        vm.prank(who);
        return vault.deposit(assets, who);
    }

    function redeemAll(address who) internal returns (uint256) {
        uint256 shares = vault.balanceOf(who);
        vm.prank(who);
        return vault.redeem(shares, who, who);
    }

    function same(string memory left, string memory right) internal pure {
        require(keccak256(bytes(left)) == keccak256(bytes(right)), left);
    }

    function test_a_vault_is_named_after_its_asset() public {
        same(vault.name(), "Causeway USDC Vault");
        same(vault.symbol(), "cwUSDC");
        require(vault.asset() == address(usdc) && vault.decimals() == 12, "usdc");
        Vault other = Vault(factory.create(IERC20Metadata(address(weth))));
        same(other.name(), "Causeway WETH Vault");
        same(other.symbol(), "cwWETH");
        require(other.asset() == address(weth) && other.decimals() == 24, "weth");
    }

    function test_there_is_one_vault_for_an_asset_for_any_caller() public {
        address[] memory before = factory.vaults();
        vm.recordLogs();
        vm.prank(BOB);
        require(factory.create(IERC20Metadata(address(usdc))) == address(vault), "another");
        require(vm.getRecordedLogs().length == 0, "events");
        require(factory.vaults().length == before.length && before.length == 1, "vaults");
        require(before[0] == address(vault) && factory.vaultOf(address(usdc)) == address(vault), "known");
    }

    function test_the_address_follows_from_the_asset() public {
        IERC20Metadata asset = IERC20Metadata(address(weth));
        require(factory.vaultOf(address(weth)) == address(0), "exists");
        address foreseen = factory.addressOf(asset);
        vm.expectEmit(address(factory));
        emit VaultFactory.VaultCreated(address(weth), foreseen, "Causeway WETH Vault", "cwWETH");
        vm.prank(BOB);
        require(factory.create(asset) == foreseen && foreseen.code.length != 0, "address");
        require(factory.addressOf(IERC20Metadata(address(usdc))) == address(vault), "usdc");
        require(factory.vaults()[1] == foreseen, "vaults");
    }

    function test_what_is_no_token_gets_no_vault() public {
        vm.expectRevert();
        factory.create(IERC20Metadata(ALICE));
    }

    function testFuzz_what_goes_in_comes_out(uint256 first, uint256 second) public {
        first = first % type(uint96).max + 1;
        second = second % type(uint96).max + 1;
        require(deposit(ALICE, first) == first * 1e6, "shares");
        deposit(BOB, second);
        require(vault.totalAssets() == first + second, "assets");
        require(redeemAll(ALICE) == first && redeemAll(BOB) == second, "redeemed");
        require(vault.totalSupply() == 0 && usdc.balanceOf(address(vault)) == 0, "left");
    }

    function testFuzz_gains_are_shared_and_never_more_than_there_is(
        uint256 first,
        uint256 second,
        uint256 gain
    ) public {
        first = first % type(uint96).max + 1;
        second = second % type(uint96).max + 1;
        gain = gain % type(uint96).max;
        deposit(ALICE, first);
        deposit(BOB, second);
        vm.prank(FAUCET);
        usdc.mint(address(vault), gain);
        uint256 out = redeemAll(ALICE);
        require(out >= first && out <= first + gain, "alice");
        uint256 rest = redeemAll(BOB);
        require(rest >= second && out + rest <= first + second + gain, "bob");
    }

    /// The attacker deposits a unit and donates a large amount, so that the victim's deposit rounds down to zero.
    function testFuzz_a_gift_cannot_steal_the_first_deposit(uint256 gift, uint256 victim) public {
        victim = victim % 1e15 + 1e6;
        gift = gift % 1e15;
        deposit(ALICE, 1);
        vm.prank(FAUCET);
        usdc.mint(address(vault), gift);
        deposit(BOB, victim);
        uint256 back = redeemAll(BOB);
        // At most one share's worth is rounded away, and a share is worth less than a millionth of the gift.
        require(back + gift / 1e6 + 1 >= victim, "the victim lost");
        require(redeemAll(ALICE) <= 1 + gift, "the attacker gained");
    }

    function test_shares_are_approved_by_signature() public {
        address owner = vm.addr(7);
        deposit(owner, 5);
        bytes32 kind =
            keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
        bytes32 terms = keccak256(abi.encode(kind, owner, BOB, 5e6, 0, block.timestamp));
        (uint8 v, bytes32 r, bytes32 s) =
            vm.sign(7, keccak256(abi.encodePacked("\x19\x01", vault.DOMAIN_SEPARATOR(), terms)));
        vault.permit(owner, BOB, 5e6, block.timestamp, v, r, s);
        vm.prank(BOB);
        require(vault.redeem(5e6, BOB, owner) == 5 && usdc.balanceOf(BOB) == 5, "redeemed");
    }

    function test_tokens_that_return_nothing_have_vaults_too() public {
        QuirkyToken usdt = QuirkyToken(address(0x05D7));
        Genesis.place(address(usdt), type(QuirkyToken).runtimeCode, "Tether USD", "USDT", 6);
        Vault other = Vault(factory.create(IERC20Metadata(address(usdt))));
        vm.prank(FAUCET);
        usdt.mint(ALICE, 5);
        vm.prank(ALICE);
        usdt.approve(address(other), 5);
        vm.prank(ALICE);
        other.deposit(5, ALICE);
        vm.prank(ALICE);
        require(other.redeem(5e6, BOB, ALICE) == 5 && usdt.balanceOf(BOB) == 5, "redeemed");
    }
}
