use alloy_primitives::{Address as EvmAddress, B256};
use causeway_domain::ports::{FinalityTier, OpenedBy};
use causeway_domain::{
    Address, ChainId, DepositMethod, DepositWindow, EventKind, Evidence, FactPlace, Family, IdError,
    IntentTerms, Order, OrderEvent, OrderId, OrderStatus, QuoteId, RawAmount, RowKey, TokenId, TradeType,
};
use jiff::Timestamp;

use crate::build_deposit::moment;

/// The route id of a recovered order, whose own is lost.
pub(super) const RECOVERED: &str = "recovered";

/// A filler whose orders are recognized by the account in their terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownFiller {
    pub name: String,
    pub kind: String,
    /// Its accounts on any chain family.
    pub accounts: Vec<Address>,
}

/// The ids and names of a record that the chain does not hold.
#[derive(Debug)]
pub(super) struct RecordIds {
    pub(super) order: OrderId,
    pub(super) quote: QuoteId,
    pub(super) key: RowKey,
    pub(super) event: RowKey,
    pub(super) filler: String,
    pub(super) kind: String,
}

/// The tokens and addresses of an order, decoded from its terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DecodedTerms {
    pub(super) from: TokenId,
    pub(super) to: TokenId,
    user: Address,
    recipient: Address,
    refund_to: Address,
    filler: Address,
}

impl DecodedTerms {
    /// `None` for terms with chains or addresses that none of our orders can have.
    pub(super) fn of(terms: &IntentTerms) -> Option<Self> {
        let (origin, destination) =
            (ChainId::new(terms.origin_chain_id)?, ChainId::new(terms.destination_chain_id)?);
        let on_origin = |word| address(origin.family(), word);
        let on_destination = |word| address(destination.family(), word);
        Some(Self {
            from: TokenId::from_address(origin, on_origin(terms.input_token)?)?,
            to: TokenId::from_address(destination, on_destination(terms.output_token)?)?,
            user: on_origin(terms.user)?,
            recipient: on_destination(terms.recipient)?,
            refund_to: on_origin(terms.refund_to)?,
            filler: on_origin(terms.filler)?,
        })
        // Ours have addresses there too.
        .filter(|_| on_origin(terms.payee).is_some() && on_origin(terms.referrer).is_some())
    }

    pub(super) fn filled_by<'a>(&self, fillers: &'a [KnownFiller]) -> Option<&'a KnownFiller> {
        fillers.iter().find(|filler| filler.accounts.contains(&self.filler))
    }
}

/// Decodes 32 bytes as an address; an EVM address is padded to 32 bytes.
fn address(family: Family, word: B256) -> Option<Address> {
    match family {
        Family::Evm => {
            let address = EvmAddress::from_word(word);
            (address.into_word() == word).then_some(Address::Evm(address))
        }
        Family::Solana => Some(Address::Solana(word.0)),
        Family::Bitcoin | Family::Tron => None,
    }
}

/// Everything needed to rebuild an order from the chain.
#[derive(Debug)]
pub(super) struct OrderRebuild<'a> {
    pub(super) terms: &'a IntentTerms,
    pub(super) decoded: &'a DecodedTerms,
    pub(super) opened_by: OpenedBy,
    /// The deposit address, if the deposit was a plain transfer.
    pub(super) deposit_address: Option<Address>,
    pub(super) place: &'a FactPlace,
    pub(super) ids: RecordIds,
    /// How long after its price expires an order may be opened, in seconds.
    pub(super) open_slack: u64,
    pub(super) now: Timestamp,
}

impl OrderRebuild<'_> {
    /// The order and its first event, as far as the terms and the deposit define them. What only the route held (the trade
    /// type, the integrator, the filler's own id of its offer) is lost and not invented.
    pub(super) fn rebuild(self) -> Result<(Order, OrderEvent), IdError> {
        let Self { terms, decoded, place, now, .. } = self;
        let at = self.created_at();
        let valid_before = self.valid_before();
        let (method, forwarding) = match self.opened_by {
            OpenedBy::Call => (DepositMethod::ContractCall, None),
            OpenedBy::Permit => (DepositMethod::Permit2, None),
            OpenedBy::Authorization => (DepositMethod::Authorization, None),
            OpenedBy::TokenPermit => (DepositMethod::Permit, None),
            OpenedBy::Transfer => (DepositMethod::Transfer, None),
            OpenedBy::Forwarding(forwarding) => (DepositMethod::Transfer, Some(forwarding)),
        };
        let ids = self.ids;
        let order = Order {
            id: ids.order,
            key: ids.key,
            quote: ids.quote,
            route: RECOVERED.parse()?,
            status: OrderStatus::Created,
            trade_type: TradeType::ExactInput,
            from: decoded.from,
            to: decoded.to,
            src_amount: RawAmount::new(terms.amount_in),
            dest_amount: RawAmount::new(terms.amount_out),
            author: decoded.user,
            recipient: decoded.recipient,
            refund_to: decoded.refund_to,
            filler: ids.filler,
            kind: ids.kind,
            filler_quote: None,
            integrator: None,
            method,
            terms: *terms,
            intent_id: terms.id(),
            deposit_address: self.deposit_address,
            forwarding,
            provider: None,
            valid_before,
            // Its value is unknown; the stricter tier is always safe.
            finality_tier: FinalityTier::Large,
            announced: true,
            submitted_tx: None,
            built: None,
            signed_payload: None,
            decision: None,
            evidence: Evidence::default(),
            failure_reason: None,
            due_at: Some(now),
            created_at: at,
            updated_at: at,
            version: 0,
        };
        let event = OrderEvent {
            key: ids.event,
            order: order.id.clone(),
            kind: EventKind::Status(OrderStatus::Created),
            detail: format!("Recovered from the chain, where it was opened in {}.", place.tx),
            at,
        };
        Ok((order, event))
    }

    /// When the price ended, as early as it can have been. The chain has only the open deadline, and a wallet may have asked for
    /// up to a day between the two: a deposit that was late must not count as one in time, or the price would have been a free
    /// option. For transfers there is no such time.
    fn valid_before(&self) -> Timestamp {
        let slack = match self.opened_by {
            OpenedBy::Transfer | OpenedBy::Forwarding(_) => self.open_slack,
            OpenedBy::Call | OpenedBy::Permit | OpenedBy::Authorization | OpenedBy::TokenPermit => {
                self.open_slack.max(DepositWindow::MAX)
            }
        };
        moment(self.terms.open_deadline.saturating_sub(slack)).unwrap_or_else(|| self.created_at())
    }

    /// The time of its deposit, capped at now for chains whose clock is ahead.
    pub(super) fn created_at(&self) -> Timestamp {
        moment(self.place.time).unwrap_or(self.now).min(self.now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms() -> IntentTerms {
        let mut words = [B256::with_last_byte(1); IntentTerms::WORDS];
        words[0] = B256::with_last_byte(2);
        IntentTerms::from_bytes(&words.concat()).unwrap()
    }

    #[test]
    fn evm_terms_with_more_than_twenty_address_bytes_are_not_ours() {
        assert!(DecodedTerms::of(&terms()).is_some());
        assert_eq!(DecodedTerms::of(&IntentTerms { recipient: B256::repeat_byte(1), ..terms() }), None);
        let solana = causeway_domain::SOLANA_CHAIN_ID.get();
        let to_solana =
            IntentTerms { recipient: B256::repeat_byte(1), destination_chain_id: solana, ..terms() };
        assert_eq!(
            DecodedTerms::of(&to_solana).map(|decoded| decoded.recipient),
            Some(Address::Solana([1; 32]))
        );
        assert_eq!(
            DecodedTerms::of(&IntentTerms { origin_chain_id: 0, ..terms() }),
            None,
            "on_origin is no chain 0"
        );
    }
}
