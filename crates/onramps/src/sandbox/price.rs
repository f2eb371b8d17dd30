use alloy_primitives::U256;
use causeway_domain::fiat::{FiatAmount, RampFee, RampFeeKind, WantedAmount};
use causeway_domain::ports::RampRefusal;
use causeway_domain::{RawAmount, Token, UsdPrice};

use super::plan::{SandboxPlan, network_cents, sandbox_rate};
use causeway_domain::fiat::FiatCurrency;

const BPS: u64 = 10_000;

/// Prices count in 10^-18 dollars, rates in millionths: a rate times this is of the same size.
const RATE_SCALE: u64 = 1_000_000_000_000;

/// A priced offer: the payment, its fees, and the delivered amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Priced {
    pub(super) pays: FiatAmount,
    pub(super) provider_fee: FiatAmount,
    pub(super) network_fee: FiatAmount,
    pub(super) delivers: RawAmount,
}

impl Priced {
    pub(super) fn fees(&self) -> Vec<RampFee> {
        vec![
            RampFee { kind: RampFeeKind::Provider, amount: self.provider_fee },
            RampFee { kind: RampFeeKind::Network, amount: self.network_fee },
        ]
    }
}

/// The price list of one provider for one currency and one token.
///
/// For a given payment, the delivered amount is what it buys after fees, rounded down to the token's smallest unit. For
/// a given delivered amount, the payment is the smallest one that buys it: at most one of the currency's smallest units
/// more than its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct PriceList {
    plan: SandboxPlan,
    currency: FiatCurrency,
    /// In the currency's smallest units.
    network: u64,
    /// What one of the currency's smallest units buys is `numerator / denominator` of the token's.
    numerator: U256,
    denominator: U256,
}

impl PriceList {
    pub(super) fn new(
        plan: SandboxPlan,
        currency: FiatCurrency,
        token: &Token,
        price: UsdPrice,
    ) -> Result<Self, RampRefusal> {
        let rate = sandbox_rate(currency).ok_or(RampRefusal::Currency(currency))?;
        let cents = network_cents(token.id.chain()).ok_or(RampRefusal::Asset)?;
        let minor = 10_u64.pow(currency.digits().into());
        // Cents are ten thousand millionths of a dollar.
        let network = (cents * 10_000 * minor).div_ceil(rate);
        let whole = U256::from(10).checked_pow(U256::from(token.decimals));
        let numerator = whole.and_then(|whole| whole.checked_mul(U256::from(rate) * U256::from(RATE_SCALE)));
        let denominator = price.units().get().checked_mul(U256::from(minor)).filter(|value| !value.is_zero());
        let (numerator, denominator) = numerator.zip(denominator).ok_or(RampRefusal::Asset)?;
        Ok(Self { plan, currency, network, numerator, denominator })
    }

    pub(super) fn offer(&self, wanted: WantedAmount) -> Result<Priced, RampRefusal> {
        let (least, most) = self.plan.limits(self.currency);
        let out_of_range = || RampRefusal::Range { least, most };
        let (pays, delivers) = match wanted {
            WantedAmount::Pay(pays) if pays.currency != self.currency => {
                return Err(RampRefusal::Currency(pays.currency));
            }
            WantedAmount::Pay(pays) => (pays.minor, None),
            WantedAmount::Receive(wanted) => {
                let rest = self.costs(wanted).ok_or_else(out_of_range)?;
                (self.pays_for(rest).ok_or_else(out_of_range)?, Some(wanted))
            }
        };
        if !(least.minor..=most.minor).contains(&pays) {
            return Err(out_of_range());
        }
        let provider_fee = self.provider_fee(pays).ok_or_else(out_of_range)?;
        let rest = self.rest(pays).ok_or_else(out_of_range)?;
        let delivers = delivers.or_else(|| self.buys(rest)).filter(|delivers| !delivers.is_zero());
        let delivers = delivers.ok_or_else(out_of_range)?;
        let amount = |minor| FiatAmount::new(self.currency, minor);
        Ok(Priced {
            pays: amount(pays),
            provider_fee: amount(provider_fee),
            network_fee: amount(self.network),
            delivers,
        })
    }

    /// Rounded up, at the payer's expense.
    fn provider_fee(&self, pays: u64) -> Option<u64> {
        let share = pays.checked_mul(self.plan.fee_bps())?.div_ceil(BPS);
        share.checked_add(self.plan.fixed_fee(self.currency))
    }

    /// The payment after fees.
    fn rest(&self, pays: u64) -> Option<u64> {
        pays.checked_sub(self.provider_fee(pays)?)?.checked_sub(self.network)
    }

    /// The smallest payment that leaves exactly `rest`. Each additional unit increases the rest by one or not at
    /// all, so every rest is reachable.
    fn pays_for(&self, rest: u64) -> Option<u64> {
        let fixed = self.plan.fixed_fee(self.currency).checked_add(self.network)?;
        let before = rest.checked_add(fixed)?.checked_mul(BPS)? / (BPS - self.plan.fee_bps());
        // The share is rounded up, so the payment is at most two units away.
        (before.saturating_sub(2)..=before.checked_add(2)?).find(|pays| self.rest(*pays) == Some(rest))
    }

    /// Rounded down.
    fn buys(&self, rest: u64) -> Option<RawAmount> {
        RawAmount::new(U256::from(rest)).mul_div_floor(self.numerator, self.denominator)
    }

    /// Rounded up.
    fn costs(&self, wanted: RawAmount) -> Option<u64> {
        let product = wanted.get().checked_mul(self.denominator)?;
        product.div_ceil(self.numerator).try_into().ok()
    }
}

#[cfg(test)]
mod tests {
    use causeway_domain::{ChainId, SOLANA_CHAIN_ID, TokenId};
    use proptest::prelude::*;

    use super::*;

    fn token(chain: u64, decimals: u8) -> Token {
        let id = TokenId::native(ChainId::new(chain).unwrap());
        Token { id, symbol: "T".to_owned(), name: "Token".to_owned(), decimals, logo: None }
    }

    fn list(plan: SandboxPlan, code: &str, chain: u64, decimals: u8, price: &str) -> PriceList {
        PriceList::new(plan, code.parse().unwrap(), &token(chain, decimals), price.parse().unwrap()).unwrap()
    }

    fn pay(list: &PriceList, minor: u64) -> Result<Priced, RampRefusal> {
        list.offer(WantedAmount::Pay(FiatAmount::new(list.currency, minor)))
    }

    fn summary(priced: &Priced, decimals: u8) -> String {
        let Priced { pays, provider_fee, network_fee, delivers } = priced;
        format!("{pays} = {provider_fee} + {network_fee} + {}", delivers.to_decimal(decimals))
    }

    #[test]
    fn bank_transfer_buys_more_than_a_card() {
        let card = pay(&list(SandboxPlan::Card, "USD", 8453, 6, "1"), 10_000).unwrap();
        assert_eq!(summary(&card, 6), "100.00 = 3.80 + 0.03 + 96.17");
        let bank = pay(&list(SandboxPlan::Bank, "USD", 8453, 6, "1"), 10_000).unwrap();
        assert_eq!(summary(&bank, 6), "100.00 = 0.90 + 0.03 + 99.07");
        let yen = pay(&list(SandboxPlan::Card, "JPY", 1, 18, "3000"), 10_000).unwrap();
        assert_eq!(summary(&yen, 18), "10000 = 395 + 124 + 0.020542166666666666");
    }

    #[test]
    fn out_of_range_payment_is_refused_with_the_range() {
        let list = list(SandboxPlan::Card, "USD", 1, 18, "3000");
        let range = SandboxPlan::Card.limits(list.currency);
        let refused = Err(RampRefusal::Range { least: range.0, most: range.1 });
        for minor in [0, 999, 500_001, u64::MAX] {
            assert_eq!(pay(&list, minor), refused, "{minor}");
        }
        for wanted in [U256::ZERO, U256::ONE, U256::MAX, U256::from(10).pow(U256::from(21))] {
            assert_eq!(list.offer(WantedAmount::Receive(RawAmount::new(wanted))), refused, "{wanted}");
        }
        assert!(pay(&list, 1_000).is_ok() && pay(&list, 500_000).is_ok());
        assert!(
            matches!(&refused, Err(refusal) if refusal.to_string().ends_with("from 10.00 to 5000.00 USD"))
        );
    }

    #[test]
    fn unsupported_currency_or_chain_is_refused() {
        let price: UsdPrice = "1".parse().unwrap();
        let list = |code: &str, chain| {
            PriceList::new(SandboxPlan::Card, code.parse().unwrap(), &token(chain, 6), price)
        };
        assert!(matches!(list("SEK", 1), Err(RampRefusal::Currency(_))));
        assert!(matches!(list("USD", 10), Err(RampRefusal::Asset)));
        assert!(list("USD", SOLANA_CHAIN_ID.get()).is_ok());
        let yen = FiatAmount::new("JPY".parse().unwrap(), 5_000);
        let refused = list("USD", 1).unwrap().offer(WantedAmount::Pay(yen));
        assert!(matches!(refused, Err(RampRefusal::Currency(_))));
    }

    prop_compose! {
        fn lists()(
            plan in prop::sample::select(SandboxPlan::ALL.to_vec()),
            code in prop::sample::select(vec!["USD", "EUR", "GBP", "JPY", "CHF"]),
            chain in prop::sample::select(vec![1, 8453, SOLANA_CHAIN_ID.get()]),
            decimals in prop::sample::select(vec![6_u8, 9, 18]),
            micro in 1_000_u64..100_000_000_000,
        ) -> PriceList {
            let price = RawAmount::new(U256::from(micro)).to_decimal(6);
            list(plan, code, chain, decimals, &price)
        }
    }

    proptest! {
        #[test]
        fn payment_is_the_sum_of_fees_and_delivered_value(list in lists(), minor in 1_000_u64..500_000) {
            prop_assume!(pay(&list, minor).is_ok());
            let priced = pay(&list, minor).unwrap();
            let fees = priced.provider_fee.minor + priced.network_fee.minor;
            let rest = priced.pays.minor - fees;
            prop_assert_eq!(priced.pays.minor, minor);
            prop_assert_eq!(Some(priced.delivers), list.buys(rest));
            // The delivered value is less than one token unit below the rest of the payment.
            let value = priced.delivers.get() * list.denominator;
            let left = U256::from(rest) * list.numerator;
            prop_assert!(value <= left && left - value < list.denominator);
        }

        #[test]
        fn pay_and_receive_quotes_agree_to_the_smallest_unit(list in lists(), minor in 1_000_u64..500_000, less in 0_u64..1_000) {
            prop_assume!(pay(&list, minor).is_ok());
            let bought = pay(&list, minor).unwrap();
            let Some(wanted) = bought.delivers.checked_sub(RawAmount::new(U256::from(less))) else { return Ok(()) };
            prop_assume!(!wanted.is_zero());
            let Ok(exact) = list.offer(WantedAmount::Receive(wanted)) else { return Ok(()) };
            prop_assert_eq!(exact.delivers, wanted);
            prop_assert!(exact.pays.minor <= minor, "a smaller amount never costs more");
            // One unit less would not buy it, and what is paid buys it.
            let rest = |pays: u64| list.rest(pays).and_then(|rest| list.buys(rest));
            prop_assert!(rest(exact.pays.minor).unwrap() >= wanted);
            prop_assert!(rest(exact.pays.minor - 1).is_none_or(|bought| bought < wanted));
        }

        #[test]
        fn arbitrary_amounts_never_panic(list in lists(), limbs in any::<[u64; 4]>(), minor in any::<u64>()) {
            let _ = list.offer(WantedAmount::Receive(RawAmount::new(U256::from_limbs(limbs))));
            let _ = pay(&list, minor);
        }
    }
}
