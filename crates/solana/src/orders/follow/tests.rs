use super::*;
use crate::RpcConfig;
use crate::program::SANDBOX_PROGRAM;

const PROGRAM: EscrowProgram = EscrowProgram::new(SANDBOX_PROGRAM);

/// Its endpoint does not exist.
fn follower(after: Option<u64>) -> SolanaOrderFollower {
    let rpc = SolanaRpc::new(RpcConfig::new(vec!["http://127.0.0.1:1".parse().unwrap()])).unwrap();
    let after = after.map(|number| ChainCursor { number, hash: alloy_primitives::B256::ZERO, time: 0 });
    let config = SolanaFollowConfig { poll: Duration::from_secs(1), idle_polling: None };
    SolanaOrderFollower::new(rpc, &[], config, after)
}

/// `count` transactions, three in each slot from 100 on.
fn backlog(count: u16) -> Vec<(EscrowProgram, Vec<Mention>)> {
    let mention = |number: u16| {
        let mut signature = [0; 64];
        signature[..2].copy_from_slice(&number.to_be_bytes());
        let slot = 100 + u64::from(number) / 3;
        Mention { signature: signature.into(), slot, failure: None, block_time: None }
    };
    vec![(PROGRAM, (0..count).map(mention).collect())]
}

#[test]
fn long_backlog_is_split_at_slot_boundaries() {
    assert_eq!(follower(None).scan_end(9_999, &backlog(2_000)), 9_999, "all at once");
    let mut follower = follower(None);
    let all = backlog(6_000);
    let mut scans = Vec::new();
    loop {
        let end = follower.scan_end(9_999, &all);
        scans.push(end);
        if end == 9_999 {
            break;
        }
        let reported = all[0].1.iter().filter(|one| one.slot <= end);
        follower.reported.extend(reported.map(|one| (one.signature, (one.slot, Stage::Final))));
    }
    assert_eq!(scans, [766, 1_433, 9_999]);
}

#[test]
fn scan_never_ends_before_the_cursor() {
    assert_eq!(follower(Some(5_000)).scan_end(9_999, &backlog(6_000)), 5_000);
}
