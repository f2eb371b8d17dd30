use causeway_domain::ports::{ApiScope, IntegratorStore as _};
use causeway_domain::{Address, Family};
use causeway_testing::MemoryStore;
use jiff::SignedDuration;

use super::*;

const HOUR: SignedDuration = SignedDuration::from_hours(1);
const REFERRER: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

async fn replica(store: &Arc<MemoryStore>) -> OperateIntegrators {
    OperateIntegrators::open(store.clone()).await.unwrap()
}

fn shop() -> NewIntegrator {
    NewIntegrator {
        name: "shop".to_owned(),
        scopes: vec![ApiScope::Builds, ApiScope::Quotes, ApiScope::Quotes],
        referrers: vec![Address::parse(Family::Evm, REFERRER).unwrap()],
        fee_bps: 25,
        quotes_per_day: Some(3),
        expires_in: None,
    }
}

fn finds(operate: &OperateIntegrators, key: &IssuedKey) -> bool {
    operate.integrators().find(key.text.reveal(), Timestamp::now()).is_some()
}

#[tokio::test]
async fn a_key_is_known_at_once_here_and_after_a_sync_on_other_replicas_until_it_is_revoked() {
    let store: Arc<MemoryStore> = Arc::default();
    let (here, there) = (replica(&store).await, replica(&store).await);
    let key = here.add(shop()).await.unwrap();
    let integrator = here.integrators().find(key.text.reveal(), Timestamp::now()).unwrap();
    assert_eq!(integrator.scopes, [ApiScope::Quotes, ApiScope::Builds]);
    assert_eq!(integrator.referral(Family::Evm).unwrap().fee_bps(), 25);
    assert_eq!(integrator.referral(Family::Solana), None);
    assert!(!finds(&there, &key));
    there.list().await.unwrap();
    assert!(finds(&there, &key));
    assert_eq!(there.revoke("shop", Some(&key.key.id)).await.unwrap(), 1);
    assert!(!finds(&there, &key) && finds(&here, &key));
    here.list().await.unwrap();
    assert!(!finds(&here, &key));
}

#[tokio::test]
async fn two_keys_are_valid_during_a_rotation_and_no_third() {
    let store: Arc<MemoryStore> = Arc::default();
    let operate = replica(&store).await;
    let first = operate.add(shop()).await.unwrap();
    let second = operate.rotate("shop", HOUR, None).await.unwrap();
    assert!(finds(&operate, &first) && finds(&operate, &second));
    let later = Timestamp::now() + HOUR + HOUR;
    let known = operate.integrators();
    assert!(known.find(first.text.reveal(), later).is_none(), "the old key ends by itself");
    assert!(known.find(second.text.reveal(), later).is_some());
    let error = operate.rotate("shop", HOUR, None).await.unwrap_err();
    assert!(matches!(error, IntegratorError::TwoValid(_)), "{error}");
    operate.revoke("shop", Some(&first.key.id)).await.unwrap();
    let third = operate.rotate("shop", SignedDuration::ZERO, Some(HOUR)).await.unwrap();
    assert!(finds(&operate, &third) && !finds(&operate, &second), "no overlap was asked for");
    assert!(operate.integrators().find(third.text.reveal(), later).is_none(), "it expires");
}

#[tokio::test]
async fn the_text_of_a_key_is_neither_stored_nor_printed() {
    let store: Arc<MemoryStore> = Arc::default();
    let operate = replica(&store).await;
    let key = operate.add(shop()).await.unwrap();
    let text = key.text.reveal();
    assert!(text.starts_with("cwk_") && text.len() == 77 && text.contains(&key.key.id), "{text}");
    let secret = text.rsplit('_').next().unwrap();
    assert!(!format!("{key:?} {store:?} {operate:?}").contains(secret));
    for wrong in ["", "cwk_", secret, &text[..76], &text.to_uppercase()] {
        assert!(operate.integrators().find(wrong, Timestamp::now()).is_none(), "{wrong}");
    }
}

#[tokio::test]
async fn a_quota_holds_for_all_replicas_together_and_is_whole_again_at_midnight() {
    let store: Arc<MemoryStore> = Arc::default();
    let (here, there) = (replica(&store).await, replica(&store).await);
    let key = here.add(shop()).await.unwrap();
    let noon: Timestamp = "2026-11-15T12:00:00Z".parse().unwrap();
    let integrator = here.integrators().find(key.text.reveal(), Timestamp::now()).unwrap();
    let (ours, theirs) = (&here.integrators().quotas, &there.integrators().quotas);
    let exchange = || {
        for quotas in [ours, theirs] {
            let pending = quotas.pending();
            let written = futures::FutureExt::now_or_never(store.add_quote_counts(&pending));
            written.unwrap().unwrap();
            quotas.written(&pending);
        }
        for quotas in [ours, theirs] {
            let stored = futures::FutureExt::now_or_never(store.quote_counts(quotas::day(noon)));
            quotas.set_stored(quotas::day(noon), stored.unwrap().unwrap());
        }
    };
    assert_eq!(ours.take(&integrator, noon), Ok(()));
    assert_eq!(theirs.take(&integrator, noon), Ok(()));
    exchange();
    assert_eq!(ours.take(&integrator, noon), Ok(()));
    assert_eq!(ours.take(&integrator, noon), Err(43_200));
    exchange();
    exchange();
    assert_eq!(theirs.take(&integrator, noon), Err(43_200), "what others gave counts too");
    let tomorrow = noon + SignedDuration::from_hours(12);
    assert_eq!(theirs.take(&integrator, tomorrow), Ok(()));
    let unlimited = Integrator { quotes_per_day: None, ..(*integrator).clone() };
    assert_eq!(ours.take(&unlimited, noon), Ok(()));
}

#[tokio::test]
async fn counts_are_written_once_also_when_the_store_fails_in_between() {
    let store: Arc<MemoryStore> = Arc::default();
    let operate = replica(&store).await;
    let key = operate.add(shop()).await.unwrap();
    let now = Timestamp::now();
    let integrator = operate.integrators().find(key.text.reveal(), now).unwrap();
    operate.integrators().take_quote(&integrator, now).unwrap();
    store.set_unavailable(true);
    assert!(operate.list().await.is_err());
    assert!(finds(&operate, &key), "the last known keys hold");
    store.set_unavailable(false);
    for _ in 0..3 {
        let quotes: u64 = operate.list().await.unwrap().iter().map(|one| one.quotes_today).sum();
        // Midnight may come between the quote and the list.
        let before = store.quote_counts(quotas::day(now)).await.unwrap();
        assert_eq!(before.iter().map(|count| count.quotes).sum::<u64>(), 1, "{quotes}");
    }
}

#[tokio::test]
async fn what_an_operator_may_not_say_is_refused_in_words() {
    let operate = replica(&Arc::default()).await;
    let solana = Address::parse(Family::Solana, "oeYf6KAJkLYhBuR8CiGc6L4D4Xtfepr85fuDgA9kq96").unwrap();
    let two = vec![solana, solana];
    for (new, words) in [
        (NewIntegrator { name: "a shop".to_owned(), ..shop() }, "not a valid name"),
        (NewIntegrator { scopes: Vec::new(), ..shop() }, "at least one scope"),
        (NewIntegrator { fee_bps: 1_001, ..shop() }, "0 to 1000"),
        (NewIntegrator { referrers: Vec::new(), ..shop() }, "needs a referrer"),
        (NewIntegrator { referrers: two, ..shop() }, "one for Solana"),
        (NewIntegrator { expires_in: Some(SignedDuration::MAX), ..shop() }, "too far"),
    ] {
        let error = operate.add(new).await.unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    operate.add(shop()).await.unwrap();
    for (error, words) in [
        (operate.add(shop()).await.unwrap_err(), "already"),
        (operate.rotate("other", HOUR, None).await.unwrap_err(), "no integrator `other`"),
        (operate.revoke("other", None).await.unwrap_err(), "no integrator `other`"),
        (operate.revoke("shop", Some("00000000")).await.unwrap_err(), "no such key"),
    ] {
        assert!(error.to_string().contains(words), "{error}");
    }
}
