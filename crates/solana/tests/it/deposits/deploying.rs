use causeway_sandbox::solana::ESCROW_PROGRAM;
use causeway_solana::orders::{DeployError, FirstEpoch, ensure_program, find_program};
use causeway_solana::program::{EscrowProgram, SANDBOX_PROGRAM};

use crate::play::{PROGRAM, bare, deployer, first_epoch};

#[test]
fn the_sandbox_puts_the_program_where_clients_look_for_it() {
    assert_eq!(ESCROW_PROGRAM, SANDBOX_PROGRAM);
}

#[tokio::test]
async fn the_program_begins_once_and_as_asked() {
    let (_chain, rpc) = bare().await;
    assert_eq!(find_program(&rpc, PROGRAM).await.unwrap(), None, "it lies there and has not begun");
    let begun = ensure_program(&rpc, PROGRAM, &deployer(), &first_epoch()).await.unwrap();
    assert_eq!((begun.min_grace, begun.program.0), (60, SANDBOX_PROGRAM.to_bytes()));
    assert_eq!(find_program(&rpc, PROGRAM).await.unwrap(), Some(begun.clone()));

    let mut reversed = first_epoch();
    reversed.members.reverse();
    let again = ensure_program(&rpc, PROGRAM, &deployer(), &reversed).await.unwrap();
    assert_eq!(again, begun, "running it again does nothing");
    for (first, what) in [
        (FirstEpoch { min_grace: 61, ..first_epoch() }, "another grace"),
        (FirstEpoch { threshold: 3, ..first_epoch() }, "another set of attesters"),
    ] {
        let error = ensure_program(&rpc, PROGRAM, &deployer(), &first).await.unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
    }
}

#[tokio::test]
async fn only_the_authority_begins_and_only_what_is_there() {
    let (_chain, rpc) = bare().await;
    let stranger = causeway_solana::SolanaKey::from_seed(*crate::play::user().secret_bytes());
    let error = ensure_program(&rpc, PROGRAM, &stranger, &first_epoch()).await.unwrap_err();
    assert!(
        matches!(&error, DeployError::WouldFail(words) if words.contains("replace the program")),
        "{error}"
    );
    let nowhere = EscrowProgram::new([7; 32].into());
    let error = ensure_program(&rpc, nowhere, &deployer(), &first_epoch()).await.unwrap_err();
    assert!(matches!(error, DeployError::NoProgram(_)), "{error}");
}
