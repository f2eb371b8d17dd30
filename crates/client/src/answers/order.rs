use causeway_wire::{OrderTimestamps, ProviderStatus, TokenMeta};

use super::answer;

answer! {
    /// A swap order and its progress.
    pub struct Order {
        required {
            id: String,
            /// `filled`, `refunded` and `failed` are terminal.
            status: String,
        }
        optional {
            r#type: Option<String>,
            quote_id: Option<String>,
            route_id: Option<String>,
            from_chain_id: Option<u64>,
            to_chain_id: Option<u64>,
            from_token: Option<String>,
            to_token: Option<String>,
            /// Raw units.
            src_amount: Option<String>,
            /// Raw units.
            dest_amount: Option<String>,
            author: Option<String>,
            recipient: Option<String>,
            refund_to: Option<String>,
            filler_address: Option<String>,
            external_order_id: Option<String>,
            deposit_tx_hash: Option<String>,
            /// The id of the order on chain.
            intent_id: Option<String>,
            trade_type: Option<String>,
            created_at: Option<String>,
            updated_at: Option<String>,
            transactions: OrderTransactions,
            timestamps: Option<OrderTimestamps>,
            steps_completed: Vec<String>,
            provider_status: Option<ProviderStatus>,
            /// For people.
            failure_reason: Option<String>,
            from_token_meta: Option<TokenMeta>,
            to_token_meta: Option<TokenMeta>,
        }
    }
}

answer! {
    /// The confirmed transactions of an order.
    #[derive(Default)]
    pub struct OrderTransactions {
        required {}
        optional {
            deposit: Option<OrderTransaction>,
            fill: Option<OrderTransaction>,
            refund: Option<OrderTransaction>,
        }
    }
}

answer! {
    pub struct OrderTransaction {
        required { tx_hash: String, }
        optional {
            timestamp: Option<String>,
            chain_id: Option<u64>,
            /// Raw units.
            amount: Option<String>,
        }
    }
}
