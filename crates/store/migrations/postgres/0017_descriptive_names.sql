-- Renames tables and columns to the names that the code uses. No data changes.

ALTER TABLE orders RENAME COLUMN told_tx TO submitted_tx;
ALTER TABLE orders RENAME COLUMN handed TO signed_payload;
ALTER TABLE orders RENAME COLUMN care TO finality_tier;
ALTER TABLE orders RENAME COLUMN jump TO forwarding_order;

ALTER TABLE facts RENAME COLUMN care TO finality_tier;

-- How far each chain was read, per finality tier.
ALTER TABLE marks RENAME TO chain_cursors;
ALTER TABLE chain_cursors RENAME COLUMN care TO finality_tier;

ALTER TABLE outbox RENAME COLUMN last_place TO last_attempt;
ALTER TABLE attempts RENAME COLUMN place TO attempt;

ALTER TABLE losses RENAME COLUMN borne_at TO recorded_at;

ALTER TABLE webhook_deliveries RENAME COLUMN waits_since TO queued_at;
ALTER TABLE webhook_attempts RENAME COLUMN words TO message;

-- What last kept an order from progressing.
ALTER TABLE troubles RENAME TO stuck_reasons;
ALTER TABLE stuck_reasons RENAME COLUMN words TO message;

ALTER TABLE fiat_orders RENAME COLUMN jump TO forwarding_order;
ALTER TABLE fiat_orders RENAME COLUMN jump_address TO forwarding_address;
ALTER TABLE fiat_orders RENAME COLUMN jump_filler TO forwarding_filler;
ALTER TABLE fiat_orders RENAME COLUMN jump_route TO forwarding_route;
ALTER TABLE fiat_orders RENAME COLUMN failure_words TO failure_message;

ALTER TABLE ramp_tokens RENAME COLUMN ends_at TO expires_at;
