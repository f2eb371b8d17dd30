-- What the payer was given to sign where it must come back unchanged, and what a deposit address committed to before its
-- order was drawn up.
ALTER TABLE orders ADD COLUMN built BYTEA;
ALTER TABLE orders ADD COLUMN jump BYTEA;
