// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {Order, OrderLib} from "../../src/Order.sol";
import {IEscrow} from "../../src/interfaces/IEscrow.sol";
import {Fixture} from "../Fixture.sol";
import {Signing} from "../Signing.sol";
import {Vm, vm} from "../Vm.sol";

/// @notice What the escrow reads from a batch's entries, compared with a reader that is written for being read: whole arrays, no assembly.
contract BatchReaderTest is Fixture {
    uint256 constant TERMS = 21;
    uint256 constant EPOCH = 20;

    struct Reading {
        bool fits;
        bool alike;
        bool local;
        bytes32 epoch;
        bytes32[] ids;
        uint256[] times;
        bytes32[] fills;
    }

    function expected(uint256 count, bytes32[] memory entries) private pure returns (Reading memory reading) {
        reading.ids = new bytes32[](count);
        reading.times = new uint256[](count);
        reading.fills = new bytes32[](count);
        reading.alike = true;
        bytes32[] memory words = new bytes32[](TERMS);
        uint256 place = 0;
        for (uint256 i = 0; i < count; ++i) {
            if (place + 2 > entries.length) return reading;
            uint256 head = uint256(entries[place]);
            (reading.times[i], reading.fills[i]) = (uint64(head), entries[place + 1]);
            place += 2;
            for (uint256 runs = head >> 64; runs != 0; runs >>= 16) {
                uint256 first = uint8(runs >> 8);
                uint256 terms = uint8(runs);
                if (terms >= 128) {
                    if (first >= TERMS || terms - 128 >= TERMS) return reading;
                    words[first] = words[terms - 128];
                    continue;
                }
                if (first + terms > TERMS || place + terms > entries.length) return reading;
                for (uint256 k = 0; k < terms; ++k) {
                    words[first + k] = entries[place++];
                }
            }
            reading.ids[i] = keccak256(abi.encodePacked(OrderLib.TYPEHASH, words));
            bool local = words[1] == words[12];
            if (i == 0) (reading.epoch, reading.local) = (words[EPOCH], local);
            reading.alike = reading.alike && words[EPOCH] == reading.epoch && local == reading.local;
        }
        reading.fits = place == entries.length;
    }

    /// @dev Entries of random runs and terms, each of epoch 1 in the end.
    function drawn(uint256 seed, uint256 count) private pure returns (bytes32[] memory entries) {
        entries = new bytes32[](count * 64);
        uint256 length = 0;
        for (uint256 i = 0; i < count; ++i) {
            uint256 head = length;
            uint256 dice = uint256(keccak256(abi.encode(seed, i)));
            entries[head + 1] = bytes32(dice);
            length += 2;
            uint256 runs = 0;
            uint256 number = dice % 12;
            for (uint256 k = 0; k < number; ++k) {
                dice = uint256(keccak256(abi.encode(dice)));
                uint256 first = dice % TERMS;
                uint256 terms = (dice >> 8) % 3 == 0 ? 128 | (dice >> 16) % TERMS : (dice >> 16) % 4;
                if (terms < 128 && first + terms > TERMS) terms = TERMS - first;
                runs |= (first << 8 | terms) << (16 * k);
                for (uint256 n = 0; terms < 128 && n < terms; ++n) {
                    entries[length++] = keccak256(abi.encode(dice, n));
                }
            }
            runs |= (EPOCH << 8 | 1) << (16 * number);
            entries[length++] = bytes32(uint256(1));
            entries[head] = bytes32(runs << 64 | (dice >> 192) % 4);
        }
        assembly ("memory-safe") {
            mstore(entries, length)
        }
    }

    /// @dev The escrow takes the batch and names each order as skipped, or refuses it, as the other reader says.
    function compare(uint256 count, bytes32[] memory entries) private returns (bool taken) {
        Reading memory reading = expected(count, entries);
        bytes[] memory signatures = reading.local
            ? new bytes[](0)
            : Signing.all(
                Signing.first(keys, 2),
                Signing.filledBatch(ORIGIN, address(escrow), reading.ids, reading.times, reading.fills)
            );
        vm.recordLogs();
        (taken,) = address(escrow).call(abi.encodeCall(IEscrow.claimBatch, (count, entries, signatures)));
        // Within one chain no attester is asked; of another epoch there are none.
        bool attested = reading.local || uint256(reading.epoch) == 1;
        require(taken == (reading.fits && reading.alike && attested), "the two readers differ");
        if (!taken) return false;
        Vm.Log[] memory logs = vm.getRecordedLogs();
        eq(logs.length, count, "logs");
        for (uint256 i = 0; i < count; ++i) {
            require(logs[i].topics[0] == IEscrow.ClaimSkipped.selector, "nothing was ever opened");
            require(logs[i].topics[1] == reading.ids[i], "another order");
        }
    }

    function testFuzz_Rule31_TheEntriesAreReadAsTheyAreDescribed(uint256 seed, uint8 size) public {
        compare(within(size, 1, 5), drawn(seed, within(size, 1, 5)));
    }

    /// One bit of the entries is another, or there are fewer or more of them, or of the orders.
    function testFuzz_Rule31_EntriesThatWereChangedAreReadOrRefused(uint256 seed, uint256 where) public {
        uint256 count = within(seed >> 8, 1, 4);
        bytes32[] memory entries = drawn(seed, count);
        uint256 kind = seed % 4;
        if (kind == 0) {
            entries[where % entries.length] ^= bytes32(1 << ((where >> 128) % 256));
        } else if (kind == 1) {
            count = where % (2 * count) + 1;
        } else {
            // The words in front are the same; memory behind the array is not used for anything else here.
            uint256 length = kind == 2 ? where % entries.length : entries.length + 1;
            bytes32[] memory other = new bytes32[](length);
            for (uint256 i = 0; i < length && i < entries.length; ++i) {
                other[i] = entries[i];
            }
            entries = other;
        }
        compare(count, entries);
    }

    /// A run that goes on past the last term, with all the words that it says it has.
    function test_Rule31_ARunPastTheLastTermIsRefused() public {
        for (uint256 first = 0; first < 24; ++first) {
            uint256 terms = first < TERMS ? TERMS - first : 0;
            for (uint256 more = 1; more < 128 - terms; more += 7) {
                bytes32[] memory entries = new bytes32[](2 + terms + more);
                entries[0] = bytes32((first << 8 | (terms + more)) << 64);
                vm.expectRevert(IEscrow.BadBatch.selector);
                escrow.claimBatch(1, entries, new bytes[](0));
            }
        }
    }

    /// Every term may be named by the place of any other.
    function test_Rule31_EveryTermMayBeThatOfEveryPlace() public {
        for (uint256 first = 0; first < TERMS; ++first) {
            for (uint256 same = 0; same < TERMS; ++same) {
                bytes32[] memory entries = new bytes32[](2 + TERMS + 2 + 1);
                entries[0] = bytes32((TERMS) << 64);
                for (uint256 k = 0; k < TERMS; ++k) {
                    entries[2 + k] = k == EPOCH ? bytes32(uint256(1)) : keccak256(abi.encode(k));
                }
                entries[2 + TERMS] = bytes32(((EPOCH << 8 | 1) << 16 | first << 8 | 128 | same) << 64);
                entries[4 + TERMS] = bytes32(uint256(1));
                // Chain ids that are the same make the second order another kind than the first.
                bool mixed = (first == 1 && same == 12) || (first == 12 && same == 1);
                require(compare(2, entries) == !mixed, "taken");
            }
        }
    }

    /// Two orders that share everything but the payee, which the second names by the place of its user.
    function test_Rule31_APayeeNamedByItsPlaceIsTheOneThatIsPaid() public {
        Order[] memory orders = new Order[](2);
        uint256[] memory times = new uint256[](2);
        (orders[0], orders[1]) = (crossOrder(), crossOrder());
        orders[1].payee = orders[1].user;
        (times[0], times[1]) = (START, START);
        open(orders[0]);
        open(orders[1]);
        bytes32[] memory first = new bytes32[](1 + 1);
        bytes32[] memory all = batch(orders, times);
        uint256 length = all.length - 3;
        bytes32[] memory entries = new bytes32[](length + 2);
        for (uint256 i = 0; i < length; ++i) {
            entries[i] = all[i];
        }
        first[0] = bytes32((uint256(9) << 8 | 128 | 3) << 64 | START);
        first[1] = keccak256("fill");
        (entries[length], entries[length + 1]) = (first[0], first[1]);
        escrow.claimBatch(2, entries, attestBatch(orders, times, 2));
        eq(usd.balanceOf(PAYEE), orders[0].amountIn, "the first payee");
        eq(usd.balanceOf(user), orders[1].amountIn, "the second payee");
        eq(usd.balanceOf(address(escrow)), 0, "escrow");
    }
}
