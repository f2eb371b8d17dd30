use causeway_sandbox::solana::ESCROW_PROGRAM;
use causeway_solana::orders::{DeployError, FirstEpoch, ensure_program, find_program};
use causeway_solana::program::{EscrowProgram, SANDBOX_PROGRAM};

use crate::sandbox_chain::{PROGRAM, deployer, first_epoch, without_deployment};

#[test]
fn sandbox_and_clients_agree_on_the_program_address() {
    assert_eq!(ESCROW_PROGRAM, SANDBOX_PROGRAM);
}

#[tokio::test]
async fn program_is_initialized_once_as_configured() {
    let (_chain, rpc) = without_deployment().await;
    assert_eq!(find_program(&rpc, PROGRAM).await.unwrap(), None, "it is deployed and not initialized");
    let deployment = ensure_program(&rpc, PROGRAM, &deployer(), &first_epoch()).await.unwrap();
    assert_eq!((deployment.min_grace, deployment.program.0), (60, SANDBOX_PROGRAM.to_bytes()));
    assert_eq!(find_program(&rpc, PROGRAM).await.unwrap(), Some(deployment.clone()));

    let mut reversed = first_epoch();
    reversed.members.reverse();
    let again = ensure_program(&rpc, PROGRAM, &deployer(), &reversed).await.unwrap();
    assert_eq!(again, deployment, "a second run has no effect");
    for (first, what) in [
        (FirstEpoch { min_grace: 61, ..first_epoch() }, "another grace"),
        (FirstEpoch { threshold: 3, ..first_epoch() }, "another set of attesters"),
    ] {
        let error = ensure_program(&rpc, PROGRAM, &deployer(), &first).await.unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
    }
}

#[tokio::test]
async fn only_the_upgrade_authority_initializes_a_deployed_program() {
    let (_chain, rpc) = without_deployment().await;
    let stranger = causeway_solana::SolanaKey::from_seed(*crate::sandbox_chain::user().secret_bytes());
    let error = ensure_program(&rpc, PROGRAM, &stranger, &first_epoch()).await.unwrap_err();
    assert!(
        matches!(&error, DeployError::WouldFail(reason) if reason.contains("upgrade authority")),
        "{error}"
    );
    let nowhere = EscrowProgram::new([7; 32].into());
    let error = ensure_program(&rpc, nowhere, &deployer(), &first_epoch()).await.unwrap_err();
    assert!(matches!(error, DeployError::NoProgram(_)), "{error}");
}
