use causeway_domain::{SOLANA_CHAIN_ID, SolanaDeployment};
use causeway_sandbox::solana::{ESCROW_CODE, ESCROW_PROGRAM};
use causeway_solana::orders::{
    DeployError, ExpectedProgram, FirstEpoch, ensure_program, find_program, verify_program,
};
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

#[tokio::test]
async fn a_program_is_checked_in_code_authority_grace_and_attesters() {
    let (_chain, rpc) = without_deployment().await;
    let expected = ExpectedProgram { code: ESCROW_CODE, first_epoch: first_epoch(), immutable: false };
    let record = SolanaDeployment {
        chain: SOLANA_CHAIN_ID,
        program: SANDBOX_PROGRAM.to_bytes().into(),
        min_grace: 60,
        from_slot: 0,
    };
    let words = async |record: &SolanaDeployment, expected: &ExpectedProgram<'_>| match verify_program(
        &rpc, record, expected,
    )
    .await
    {
        Ok(()) => String::new(),
        Err(error) => error.to_string(),
    };
    assert!(words(&record, &expected).await.contains("is not initialized"));
    ensure_program(&rpc, PROGRAM, &deployer(), &first_epoch()).await.unwrap();
    assert_eq!(words(&record, &expected).await, "");

    let other_code = ExpectedProgram { code: &ESCROW_CODE[..1_000], ..expected.clone() };
    assert!(words(&record, &other_code).await.contains("is not that of"));
    let immutable = ExpectedProgram { immutable: true, ..expected.clone() };
    assert!(words(&record, &immutable).await.contains("set-upgrade-authority"));
    let grace = FirstEpoch { min_grace: 7_200, ..first_epoch() };
    let grace = ExpectedProgram { first_epoch: grace, ..expected.clone() };
    assert!(words(&record, &grace).await.contains("grace"));
    let threshold = FirstEpoch { threshold: 3, ..first_epoch() };
    let threshold = ExpectedProgram { first_epoch: threshold, ..expected.clone() };
    assert!(words(&record, &threshold).await.contains("first epoch"));
    let nowhere = SolanaDeployment { program: [7; 32].into(), ..record };
    assert!(words(&nowhere, &expected).await.contains("no program"));
}
