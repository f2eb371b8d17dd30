mod hash;
mod signed_payload;
mod solana;

use causeway_domain::Order;

use super::*;
use crate::build_deposit::fake::{Scene, now};

/// A transaction hash that repeats one byte.
fn hash(byte: &str) -> String {
    format!("0x{}", byte.repeat(32))
}

async fn submit(scene: &Scene, order: &Order, proof: Proof) -> Result<Submitted, SubmitError> {
    submit_at(scene, order, proof, now()).await
}

async fn submit_at(
    scene: &Scene,
    order: &Order,
    proof: Proof,
    at: Timestamp,
) -> Result<Submitted, SubmitError> {
    let request = SubmitRequest { quote: order.quote.clone(), route: order.route.clone(), proof };
    scene.submit.submit_at(request, at).await
}

async fn submit_hash(scene: &Scene, order: &Order, byte: &str) -> Result<Submitted, SubmitError> {
    submit(scene, order, Proof::Hash(hash(byte))).await
}

fn answer(order: &Order, tx: &str) -> Submitted {
    Submitted { order: order.id.clone(), tx: tx.to_owned() }
}
