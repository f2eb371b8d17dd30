// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {IAttesterRegistry} from "../../src/interfaces/IAttesterRegistry.sol";
import {Fixture} from "../Fixture.sol";
import {Signing} from "../Signing.sol";
import {vm} from "../Vm.sol";

contract SignaturesTest is Fixture {
    bytes32 constant DIGEST = keccak256("what was seen");

    function pair(bytes memory one, bytes memory two) internal pure returns (bytes[] memory list) {
        list = new bytes[](2);
        list[0] = one;
        list[1] = two;
    }

    function refused(bytes[] memory signatures, bytes memory problem) internal {
        vm.expectRevert(problem);
        registry.check(1, DIGEST, signatures);
    }

    function test_Rule10_AnyThresholdCounts() public view {
        registry.check(1, DIGEST, pair(Signing.one(keys[0], DIGEST), Signing.one(keys[1], DIGEST)));
        registry.check(1, DIGEST, pair(Signing.one(keys[0], DIGEST), Signing.one(keys[2], DIGEST)));
        registry.check(1, DIGEST, pair(Signing.one(keys[1], DIGEST), Signing.one(keys[2], DIGEST)));
        registry.check(1, DIGEST, Signing.all(keys, DIGEST));
    }

    function test_Rule10_OneSignatureIsTooFew() public {
        bytes[] memory one = Signing.all(Signing.first(keys, 1), DIGEST);
        refused(one, abi.encodeWithSelector(IAttesterRegistry.TooFewSignatures.selector, 1, 2));
    }

    function test_Rule10_TheSameAttesterTwiceIsOne() public {
        bytes memory one = Signing.one(keys[0], DIGEST);
        refused(
            pair(one, one),
            abi.encodeWithSelector(IAttesterRegistry.SignersNotAscending.selector, vm.addr(keys[0]))
        );
    }

    function test_Rule10_SignersAscend() public {
        refused(
            pair(Signing.one(keys[1], DIGEST), Signing.one(keys[0], DIGEST)),
            abi.encodeWithSelector(IAttesterRegistry.SignersNotAscending.selector, vm.addr(keys[0]))
        );
    }

    function testFuzz_Rule10_AMalleableSignatureIsRejected(bytes32 digest, uint256 which) public {
        uint256 key = keys[within(which, 0, 1)];
        bytes memory one = key == keys[0] ? Signing.mirrored(key, digest) : Signing.one(keys[0], digest);
        bytes memory two = key == keys[0] ? Signing.one(keys[1], digest) : Signing.mirrored(key, digest);
        vm.expectPartialRevert(ECDSA.ECDSAInvalidSignatureS.selector);
        registry.check(1, digest, pair(one, two));
    }

    function test_Rule10_ASignatureHasSixtyFiveBytes() public {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(keys[1], DIGEST);
        bytes32 vs = bytes32(uint256(s) | (uint256(v - 27) << 255));
        bytes memory good = Signing.one(keys[0], DIGEST);
        refused(
            pair(good, abi.encodePacked(r, vs)),
            abi.encodeWithSelector(ECDSA.ECDSAInvalidSignatureLength.selector, 64)
        );
        refused(
            pair(good, bytes.concat(Signing.one(keys[1], DIGEST), hex"00")),
            abi.encodeWithSelector(ECDSA.ECDSAInvalidSignatureLength.selector, 66)
        );
        refused(pair(good, ""), abi.encodeWithSelector(ECDSA.ECDSAInvalidSignatureLength.selector, 0));
    }

    function testFuzz_Rule10_ARecoveryNumberIsTwentySevenOrTwentyEight(uint8 v) public {
        vm.assume(v != 27 && v != 28);
        (, bytes32 r, bytes32 s) = vm.sign(keys[1], DIGEST);
        refused(
            pair(Signing.one(keys[0], DIGEST), abi.encodePacked(r, s, v)),
            abi.encodeWithSelector(ECDSA.ECDSAInvalidSignature.selector)
        );
    }

    function testFuzz_Rule10_ASignatureOfAnUnknownKeyIsRejected(uint256 key, uint256 count) public {
        key = within(key, 1, Signing.CURVE_ORDER - 1);
        address stranger = vm.addr(key);
        vm.assume(!registry.isAttester(1, stranger));
        // Put where the order of addresses wants it, so that being a stranger is its only fault; a surplus one is as bad.
        count = within(count, 1, 3);
        bytes[] memory list = new bytes[](count + 1);
        bool placed;
        for (uint256 i = 0; i < count; ++i) {
            if (!placed && stranger < vm.addr(keys[i])) {
                list[i] = Signing.one(key, DIGEST);
                placed = true;
            }
            list[placed ? i + 1 : i] = Signing.one(keys[i], DIGEST);
        }
        if (!placed) list[count] = Signing.one(key, DIGEST);
        refused(list, abi.encodeWithSelector(IAttesterRegistry.NotAnAttester.selector, 1, stranger));
    }

    function testFuzz_Rule10_RandomBytesAreRejected(bytes32 r, bytes32 s, bool odd) public {
        bytes memory noise = abi.encodePacked(r, s, odd ? uint8(27) : uint8(28));
        bytes[] memory list = pair(noise, noise);
        vm.expectRevert();
        registry.check(1, DIGEST, list);
    }

    function test_Rule10_TheThresholdIsAboveHalfAndAtMostAll() public {
        address[] memory three = Signing.addresses(keys);
        uint256[3] memory wrong = [uint256(0), 1, 4];
        for (uint256 i = 0; i < wrong.length; ++i) {
            vm.expectRevert(
                abi.encodeWithSelector(IAttesterRegistry.BadThreshold.selector, wrong[i], three.length)
            );
            newEscrow(three, wrong[i]);
        }
        address[] memory two = Signing.addresses(Signing.first(keys, 2));
        vm.expectRevert(abi.encodeWithSelector(IAttesterRegistry.BadThreshold.selector, 1, 2));
        newEscrow(two, 1);
        vm.expectRevert(abi.encodeWithSelector(IAttesterRegistry.BadThreshold.selector, type(uint256).max, 2));
        newEscrow(two, type(uint256).max);
        vm.expectRevert(abi.encodeWithSelector(IAttesterRegistry.BadThreshold.selector, 0, 0));
        newEscrow(new address[](0), 0);
        newEscrow(three, 2);
        newEscrow(three, 3);
    }

    function test_Rule10_AttestersAreListedAscendingAndNeverZero() public {
        address[] memory list = Signing.addresses(keys);
        bytes memory problem = abi.encodeWithSelector(IAttesterRegistry.AttestersNotAscending.selector);
        (list[0], list[1]) = (list[1], list[0]);
        vm.expectRevert(problem);
        newEscrow(list, 2);
        list[0] = list[1];
        vm.expectRevert(problem);
        newEscrow(list, 2);
        list = Signing.addresses(keys);
        list[0] = address(0);
        vm.expectRevert(problem);
        newEscrow(list, 2);
    }
}
