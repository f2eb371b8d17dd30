//! A rolling upgrade: the previous version and this one run side by side on one database, which this one has migrated.
//!
//! `CAUSEWAY_PREVIOUS` names the binary of the previous version; `scripts/soak upgrade` builds it.

use std::ffi::OsStr;
use std::path::Path;

use super::{
    ARBITRUM, ARBITRUM_USDC, Database, built, configure, copy_keys, pay_address, replica, wait_until_filled,
};
use crate::purchases::{ended, order, pay};
use crate::service::{Service, data_dir};

/// How many orders are begun with both versions running.
const ORDERS: usize = 8;

fn previous(binary: &OsStr, folder: &Path, database: &Database, chains: &str) -> Service {
    configure(folder, database);
    Service::start_binary(binary, folder, &["--sandbox-rpc", chains])
}

fn address(build: &serde_json::Value) -> String {
    build["depositAddress"].as_str().unwrap_or_else(|| panic!("{build}")).to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs the binary of the previous version: scripts/soak upgrade"]
async fn the_previous_version_and_this_one_share_a_database() {
    let binary = std::env::var_os("CAUSEWAY_PREVIOUS").expect("CAUSEWAY_PREVIOUS names a binary");
    let database = Database::new().await.expect("CAUSEWAY_TEST_POSTGRES names a server");
    let (chains_folder, folders) = (data_dir(), [data_dir(), data_dir()]);
    let chains = Service::start_with(chains_folder.path(), &["sandbox"]);
    let base = chains.url.split("/sandbox").next().unwrap();

    // What the previous version began alone.
    let mut old = previous(&binary, folders[0].path(), &database, base);
    copy_keys(folders[0].path(), folders[1].path());
    let (_, unpaid) = built(&old, &old, "TRANSFER").await;
    let recipient = format!("0x{}", "b7".repeat(20));
    let purchase = order(&old, ARBITRUM, ARBITRUM_USDC, &recipient).await;
    let before = database.count("SELECT MAX(version) FROM _sqlx_migrations").await;

    // This version joins, and both go on with everything.
    let new = replica(folders[1].path(), &database, base);
    let after = database.count("SELECT MAX(version) FROM _sqlx_migrations").await;
    println!("migrations {before} -> {after}");
    pay(&old, &purchase).await;
    let mut addresses = vec![address(&unpaid)];
    for turn in 0..ORDERS {
        let (quoting, building) = if turn % 2 == 0 { (&old, &new) } else { (&new, &old) };
        let (_, build) = built(quoting, building, "TRANSFER").await;
        addresses.push(address(&build));
    }
    for address in &addresses {
        pay_address(&new, base, address).await;
    }
    for address in &addresses {
        wait_until_filled(&old, address).await;
        wait_until_filled(&new, address).await;
    }
    let purchase = purchase["orderId"].as_str().unwrap();
    for service in [&old, &new] {
        let view = ended(service, purchase).await;
        assert_eq!(view["status"], "completed", "{view}");
    }

    // The previous version goes, and this one carries on alone.
    let (_, last) = built(&new, &old, "TRANSFER").await;
    old.child.kill().unwrap();
    old.child.wait().unwrap();
    pay_address(&new, base, &address(&last)).await;
    wait_until_filled(&new, &address(&last)).await;
    drop((old, new));
    database.drop().await;
}
