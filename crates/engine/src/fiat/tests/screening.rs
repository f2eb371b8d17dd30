use causeway_domain::ports::Deal;

use crate::build_deposit::fake::{evm, usdc};
use crate::fiat::fake::{Scene, request};
use crate::fiat::{FiatCode, FiatOrderRequest};
use crate::screening::fake::{doorman, screening};

#[tokio::test]
async fn a_purchase_is_screened_before_it_is_written_and_before_its_provider_hears_of_it() {
    for against in [evm(0xa1), evm(0xb2)] {
        let mut scene = Scene::new().await;
        let door = doorman(Some(against), false);
        scene.order.parts.screening = Some(screening(&door, &scene.store));
        let quote = scene.best(usdc()).await;
        let error = scene.order.order(request(&quote)).await.unwrap_err();
        assert_eq!((error.code(), error.is_retryable()), (FiatCode::Screened, false));
        assert_eq!(scene.checkouts(), 0);
        let other = FiatOrderRequest { author: evm(0x77), ..request(&quote) };
        let other = scene.order.order(other).await;
        assert_eq!(other.is_ok(), against == evm(0xa1), "another buyer of the same quote is judged anew");
        let asked = door.asked.lock().unwrap();
        assert_eq!(
            (asked[0].deal, asked[0].asset, asked[0].amount),
            (Deal::Purchase, usdc(), quote.expected)
        );
    }
}
