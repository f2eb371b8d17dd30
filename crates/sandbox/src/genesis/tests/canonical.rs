use alloy_primitives::{B256, Bytes, b256, hex, keccak256};
use alloy_sol_types::{SolCall, sol};

use super::machine::Token;
use super::*;
use crate::genesis::artifact::{Artifact, PERMIT2};
use crate::genesis::canonical::permit2_domain;
use crate::genesis::{CREATE2_DEPLOYER, multicall3_address, permit2_address};

sol! {
    struct Call3 {
        address target;
        bool allowFailure;
        bytes callData;
    }
    struct Answer {
        bool success;
        bytes returnData;
    }
    function aggregate3(Call3[] calldata calls) external payable returns (Answer[] memory);
    function getChainId() external view returns (uint256);
    function allowance(address owner, address token, address spender) external view returns (uint160, uint48, uint48);
}

/// The salt with which Permit2 was deployed everywhere.
const PERMIT2_SALT: B256 = b256!("0000000000000000000000000000000000000000d3af2663da51c10215000000");

fn permit2_creation_code() -> Vec<u8> {
    hex::decode(Artifact::read(PERMIT2).unwrap().file.bytecode.unwrap()).unwrap()
}

#[test]
fn the_code_of_permit2_matches_its_address() {
    assert_eq!(
        CREATE2_DEPLOYER.create2_from_code(PERMIT2_SALT, permit2_creation_code()),
        permit2_address(chain(1))
    );
}

#[test]
fn permit2_matches_the_code_that_its_constructor_deploys() {
    for id in [1, 8453, 5_734_951] {
        let (mut machine, alice, _) = start(id);
        let placed = machine.code(permit2_address(chain(id)));
        machine.clear(permit2_address(chain(id)));
        let deploy = [PERMIT2_SALT.to_vec(), permit2_creation_code()].concat();
        let (output, _) = machine.send(alice, CREATE2_DEPLOYER, U256::ZERO, deploy).unwrap();
        assert_eq!(Address::from_slice(&output), permit2_address(chain(id)));
        assert_eq!(machine.code(permit2_address(chain(id))), placed);
    }
}

#[test]
fn permit2_knows_its_domain_on_every_chain() {
    for id in CHAINS {
        let (mut machine, alice, bob) = start(id);
        let at = permit2_address(chain(id));
        let domain = machine.call(alice, at, &Token::DOMAIN_SEPARATORCall {});
        assert_eq!(domain, permit2_domain(chain(id)), "chain {id}");
        let fresh = machine.call(alice, at, &allowanceCall { owner: alice, token: USDC, spender: bob });
        assert_eq!(fresh._0.to::<u64>(), 0);
    }
    // As Permit2 itself answers on Ethereum.
    assert_eq!(
        permit2_domain(chain(1)),
        b256!("866a5aba21966af95d6c7ab78eb2b2fc913915c28be3b9aa07cc04ff903e3f28")
    );
}

#[test]
fn the_zksync_stack_has_permit2_and_multicall3_elsewhere() {
    for id in [324, 2741] {
        assert_ne!(permit2_address(chain(id)), permit2_address(chain(1)));
        assert_ne!(multicall3_address(chain(id)), multicall3_address(chain(1)));
        let (mut machine, ..) = start(id);
        assert_eq!(machine.code(permit2_address(chain(1))), Bytes::new());
        assert_eq!(machine.code(multicall3_address(chain(1))), Bytes::new());
    }
}

#[test]
fn multicall3_and_the_deployer_have_their_canonical_code() {
    let (mut machine, ..) = start(1);
    assert_eq!(
        keccak256(machine.code(multicall3_address(chain(1)))),
        b256!("d5c15df687b16f2ff992fc8d767b4216323184a2bbc6ee2f9c398c318e770891")
    );
    assert_eq!(
        keccak256(machine.code(CREATE2_DEPLOYER)),
        b256!("2fa86add0aed31f33a762c9d88e807c475bd51d0f52bd0955754b2608f7e4989")
    );
}

#[test]
fn multicall3_reads_balances_and_tolerates_a_failing_call() {
    for id in CHAINS {
        let (mut machine, alice, _) = start(id);
        let at = multicall3_address(chain(id));
        let ask = |target: Address, call_data: Vec<u8>| Call3 {
            target,
            allowFailure: true,
            callData: call_data.into(),
        };
        let balance = Token::balanceOfCall { owner: alice }.abi_encode();
        let calls = vec![
            ask(USDC, balance.clone()),
            ask(WETH, balance),
            ask(USDC, Token::mintCall { to: alice, amount: U256::ONE }.abi_encode()),
            ask(at, getChainIdCall {}.abi_encode()),
        ];
        let answers = machine.call(alice, at, &aggregate3Call { calls });
        assert_eq!(
            answers.iter().map(|answer| answer.success).collect::<Vec<_>>(),
            [true, true, false, true]
        );
        let number = |answer: &Answer| U256::from_be_slice(&answer.returnData);
        assert_eq!(number(&answers[0]), whole(1_000_000, 6));
        assert_eq!(number(&answers[1]), whole(100, 18));
        assert_eq!(number(&answers[3]), U256::from(id));
    }
}

#[test]
fn a_contract_deployed_through_the_deployer_gets_the_derived_address() {
    let (mut machine, alice, _) = start(1);
    // Returns one byte of code, STOP.
    let creation = hex!("60016000f3");
    let salt = B256::repeat_byte(7);
    let data = [salt.as_slice(), &creation].concat();
    let (output, _) = machine.send(alice, CREATE2_DEPLOYER, U256::ZERO, data).unwrap();
    let derived = CREATE2_DEPLOYER.create2_from_code(salt, creation);
    assert_eq!(Address::from_slice(&output), derived);
    assert_eq!(machine.code(derived).as_ref(), [0]);
}
