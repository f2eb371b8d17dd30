use causeway_domain::ports::OrderKind;

use crate::build_deposit::fake::{evm, usdc};
use crate::fiat::fake::{Scene, request};
use crate::fiat::{FiatCode, FiatOrderRequest};
use crate::screening::fake::{fake_screen, screening};

#[tokio::test]
async fn purchase_is_screened_before_it_is_stored_and_before_the_provider_is_called() {
    for against in [evm(0xa1), evm(0xb2)] {
        let mut scene = Scene::new().await;
        let door = fake_screen(Some(against), false);
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
            (asked[0].kind, asked[0].asset, asked[0].amount),
            (OrderKind::Purchase, usdc(), quote.expected)
        );
    }
}
