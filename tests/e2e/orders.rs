//! Orders over the real binary, with the chains in a process of their own.

mod audit;
mod batch_claims;
#[path = "drills/breakers.rs"]
mod breakers;
mod chain_faults;
mod chain_totals;
mod chains;
mod conservation;
mod crashes;
mod database_proxy;
mod database_unavailable;
#[path = "drills/endless_history.rs"]
mod endless_history;
mod failover;
mod fault_injection;
#[path = "drills/fee_ceiling.rs"]
mod fee_ceiling;
#[path = "drills/gas_burner.rs"]
mod gas_burner;
mod gas_charges;
#[path = "drills/halted_chain.rs"]
mod halted_chain;
mod intent_book;
#[path = "drills/late_deposit.rs"]
mod late_deposit;
#[path = "drills/listed_sender.rs"]
mod listed_sender;
#[path = "drills/lying_endpoint.rs"]
mod lying_endpoint;
#[path = "drills/lying_solana.rs"]
mod lying_solana;
mod payer;
mod payer_key;
mod payer_solana;
mod random_orders;
mod recover;
mod refunds_while_paused;
mod rent;
#[path = "drills/rent_farming.rs"]
mod rent_farming;
mod replica_faults;
mod report;
mod restartable_service;
mod restore;
mod seeded_rng;
mod solana;
mod solana_accounts;
mod solana_message;
mod transfers;
#[path = "drills/unknown_sender.rs"]
mod unknown_sender;
#[path = "drills/unpaid_orders.rs"]
mod unpaid_orders;
