-- When the personal data of a purchase was erased.

ALTER TABLE fiat_orders ADD COLUMN erased_at INTEGER;
